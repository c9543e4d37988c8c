import type { FastifyInstance } from 'fastify';

/** Collects every route that is added from now on. Returns the methods of a path, or none. */
export function collectMethods(app: FastifyInstance): (url: string) => string[] {
  const routes: { parts: string[]; methods: string[] }[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    routes.push({ parts: url.split('/'), methods: [method].flat() });
  });
  return (url) => {
    const [path = ''] = url.split(/[?#]/, 1);
    const parts = decodePath(path)
      .replace(/(?<=.)\/$/, '')
      .split('/');
    const fitting = routes.filter((route) => matchesPath(route.parts, parts));
    return [...new Set(fitting.flatMap(({ methods }) => methods))].sort();
  };
}

/** The router rejects paths that cannot be decoded, except after a `#`. */
function decodePath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return '';
  }
}

/** A parameter matches any text except the empty one. */
function matchesPath(pattern: string[], parts: string[]): boolean {
  return (
    pattern.length === parts.length &&
    pattern.every((part, place) => (part.startsWith(':') ? parts[place] !== '' : part === parts[place]))
  );
}
