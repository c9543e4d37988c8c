import { spawnSync } from 'node:child_process';
import { accessSync, constants, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseDocument } from 'yaml';
import { readConfig } from '../../src/platform/config.ts';
import { testApp } from '../support/app.ts';
import { temporaryFolder } from '../support/leftovers.ts';

const read = (path: string) => readFileSync(path, 'utf8');
const yaml = (path: string) => parse(read(path), { merge: true });
const files = readdirSync('deploy', { recursive: true, encoding: 'utf8' }).map((path) => join('deploy', path));

/** The environment variables that the service reads. */
const settings = new Set<string | symbol>();
readConfig(new Proxy({}, { get: (_, name) => void settings.add(name) }));

/** The seconds that the service takes to stop at most. */
const stopSeconds =
  Number(/shutdownTimeoutMs = ([\d_]+)/.exec(read('src/app/lifecycle.ts'))?.[1]?.replace('_', '')) / 1000;
const port = Number(/^EXPOSE (\d+)$/m.exec(read('Dockerfile'))?.[1]);
const isInstalled = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;

/** Skips a check whose program is missing. The name says so. */
function itWith(program: string, isThere: boolean, name: string, test: () => void) {
  if (!isThere) console.error(`\n*** LEFT OUT: ${name}. ${program} was not found. ***\n`);
  it.skipIf(!isThere)(isThere ? name : `${name} (LEFT OUT: ${program} was not found)`, test);
}

it('the checks know the settings, the port and the shutdown time', () => {
  expect(settings).toContain('DATABASE_URL');
  expect([port, stopSeconds]).toEqual([readConfig({}).port, 9.5]);
});

it.each(files.filter((path) => /\.ya?ml$/.test(path)))('%s is valid YAML', (path) => {
  const { errors, warnings } = parseDocument(read(path), { merge: true });
  expect([...errors, ...warnings]).toEqual([]);
});

it.each(files.filter((path) => path.endsWith('.sh')))('%s is a valid script that can be run', (path) => {
  expect(spawnSync('sh', ['-n', path]).status).toBe(0);
  accessSync(path, constants.X_OK);
});

describe.each(['deploy/compose.yml', 'deploy/compose.citus.yml'])('%s', (path) => {
  const { services, volumes } = yaml(path);
  const { regulars } = services;

  it('sets only known settings, with the port and the shutdown time of the service', () => {
    expect(Object.keys(regulars.environment).filter((name) => !settings.has(name))).toEqual([]);
    expect(regulars.ports).toEqual([`127.0.0.1:${port}:${port}`]);
    expect(Number.parseInt(regulars.stop_grace_period, 10)).toBeGreaterThan(stopSeconds);
    expect(readdirSync(join('deploy', regulars.build))).toContain('Dockerfile');
  });
  it('names only services, volumes and files that exist', () => {
    const { hostname } = new URL(regulars.environment.DATABASE_URL.replace(/\$\{.*?\}/, 'secret'));
    expect(Object.keys(services)).toContain(hostname);
    for (const service of Object.values(services) as { depends_on?: object; volumes?: string[] }[]) {
      expect(Object.keys(services)).toEqual(expect.arrayContaining(Object.keys(service.depends_on ?? {})));
      for (const volume of service.volumes ?? []) {
        const [source = ''] = volume.split(':');
        if (source.startsWith('.')) accessSync(join('deploy', source));
        else expect(Object.keys(volumes)).toContain(source);
      }
    }
  });
});

describe('deploy/kubernetes', () => {
  const folder = 'deploy/kubernetes';
  const { spec } = yaml(`${folder}/deployment.yaml`);
  const pod = spec.template.spec;
  const [container] = pod.containers;
  const labels = spec.template.metadata.labels;

  it('sets only known settings, and the version of package.json', () => {
    const secret = yaml(`${folder}/secret.example.yaml`);
    const names = [...container.env.map(({ name }: { name: string }) => name), ...Object.keys(secret.stringData)];
    expect(names.filter((name) => !settings.has(name))).toEqual([]);
    expect(container.envFrom[0].secretRef.name).toBe(secret.metadata.name);
    expect(() => readConfig(secret.stringData)).not.toThrow();
    expect(container.image).toBe(`regulars:${JSON.parse(read('package.json')).version}`);
  });
  it('probes routes that exist, on the port of the service', async () => {
    const { app } = await testApp();
    const { startupProbe, readinessProbe, livenessProbe } = container;
    for (const { httpGet } of [startupProbe, readinessProbe, livenessProbe]) {
      expect(app.hasRoute({ method: 'GET', url: httpGet.path })).toBe(true);
      expect(httpGet.port).toBe(container.ports[0].name);
    }
    const annotations = spec.template.metadata.annotations;
    expect(app.hasRoute({ method: 'GET', url: annotations['prometheus.io/path'] })).toBe(true);
    const set = container.env.find(({ name }: { name: string }) => name === 'PORT').value;
    expect([container.ports[0].containerPort, annotations['prometheus.io/port'], set].map(Number)).toEqual([
      ...[port, port, port],
    ]);
  });
  it('gives a pod the time to stop', () => {
    const sleep = Number(container.lifecycle.preStop.exec.command[1]);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(sleep + stopSeconds);
  });
  it('selects the pods of the Deployment', () => {
    const service = yaml(`${folder}/service.yaml`).spec;
    const budget = yaml(`${folder}/poddisruptionbudget.yaml`).spec;
    for (const selector of [spec.selector.matchLabels, service.selector, budget.selector.matchLabels])
      expect(labels).toMatchObject(selector);
    expect(service.ports[0].targetPort).toBe(container.ports[0].name);
    expect(budget.minAvailable).toBeLessThan(spec.replicas);
  });
  it('applies every file but the example of the Secret', () => {
    const others = readdirSync(folder).filter((name) => !/^(secret\.example|kustomization)\.yaml$/.test(name));
    expect(yaml(`${folder}/kustomization.yaml`).resources.sort()).toEqual(others.sort());
  });

  const hasKubectl = isInstalled('kubectl', 'version', '--client');
  itWith('kubectl', hasKubectl, 'has only fields that Kubernetes knows', () => {
    // kubectl reads a file into its types and writes them again, without unknown fields. --local: without a cluster.
    const changes = { deployment: ['image', 'regulars=changed'], service: ['selector', 'app=changed'] };
    for (const [name, [kind = '', change = '']] of Object.entries(changes)) {
      const path = `${folder}/${name}.yaml`;
      const options = { encoding: 'utf8', env: { ...process.env, KUBECONFIG: '/dev/null' } } as const;
      const { stdout } = spawnSync('kubectl', ['set', kind, '--local', '-f', path, change, '-o', 'yaml'], options);
      const known = stdout
        .replace('image: changed', `image: ${container.image}`)
        .replace('app: changed', 'app: regulars');
      expect(parse(known)).toMatchObject(yaml(path));
    }
  });
});

describe('deploy/systemd/regulars.service', () => {
  const path = 'deploy/systemd/regulars.service';
  const values = (name: string) =>
    Array.from(read(path).matchAll(new RegExp(`^${name}=(.*)$`, 'gm')), ([, value = '']) => value);

  it('sets only known settings, and the shutdown time of the service', () => {
    const names = values('Environment').map((pair) => pair.split('=')[0] ?? '');
    expect(names.filter((name) => name !== 'NODE_ENV' && !settings.has(name))).toEqual([]);
    expect(names).toContain('DATA_DIR');
    expect(Number(values('TimeoutStopSec')[0])).toBeGreaterThan(stopSeconds);
  });
  itWith('systemd-analyze', isInstalled('systemd-analyze', '--version'), 'is valid and hardened', () => {
    // The path of Node differs between machines.
    const copy = join(temporaryFolder(), 'regulars.service');
    writeFileSync(copy, read(path).replace('/usr/bin/node', process.execPath));
    const verified = spawnSync('systemd-analyze', ['verify', '--man=no', copy], { encoding: 'utf8' });
    expect(verified).toMatchObject({ status: 0, stderr: '' });
    // The exposure times ten: 0 is the best, 100 the worst.
    const security = spawnSync('systemd-analyze', ['security', '--offline=yes', '--threshold=20', copy]);
    expect(security.status).toBe(0);
  });
});

it('deploy/pgbouncer/pgbouncer.ini pools by transaction', () => {
  const text = read('deploy/pgbouncer/pgbouncer.ini');
  expect(text).toMatch(/^pool_mode = transaction$/m);
});

it('deploy/README.md lists every folder and compose file', () => {
  const listed = Array.from(read('deploy/README.md').matchAll(/^\| `deploy\/([^`]+?)\/?`/gm), ([, name]) => name);
  const present = readdirSync('deploy').filter((name) => name !== 'README.md');
  expect(listed.sort()).toEqual(present.sort());
});
