const width = 240;

/**
 * JSON with each object and list on one line where it fits. It is shorter than one value per line, and diffs stay small.
 * It has no spaces, because the document is large.
 */
export function compactJson(value: unknown, indent = '', before = 0): string {
  const line = toOneLine(value);
  if (typeof value !== 'object' || value === null || indent.length + before + line.length < width) return line;
  const inner = `${indent} `;
  const parts = Array.isArray(value)
    ? value.map((one) => compactJson(one, inner))
    : Object.entries(value).map(([key, one]) => {
        const name = `${JSON.stringify(key)}:`;
        return name + compactJson(one, inner, name.length);
      });
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${filled(parts, inner)}\n${indent}${close}`;
}

/** The parts in lines: short texts, such as the names of required fields, share a line. */
function filled(parts: string[], indent: string): string {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1) ?? '';
    const isShort = /^"[^"]*"$/.test(part) && /"$/.test(last);
    if (isShort && indent.length + last.length + part.length + 2 < width) lines[lines.length - 1] = `${last}, ${part}`;
    else lines.push(part);
  }
  return lines.map((line) => indent + line).join(',\n');
}

function toOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toOneLine).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}:${toOneLine(one)}`);
  return parts.length > 0 ? `{${parts.join(',')}}` : '{}';
}
