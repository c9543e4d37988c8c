import { expect, it, vi } from 'vitest';
import { printRows } from '../../src/cli/run.ts';

it('a table aligns its columns also after wide and combined letters', () => {
  const written: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  const rows = [
    { id: 1, name: 'Zoë Whitlock', email: 'zoe@gmail.com' },
    { id: 2, name: '山田 太郎', email: null },
    { id: 3, name: 'Zoe\u0308 🍺', email: 'z@gmail.com' },
  ];
  printRows({ rows, total: 3 }, { limit: 100, offset: 0 }, {});
  write.mockRestore();
  expect(written.join('').split('\n')).toEqual([
    'id  name          email',
    '1   Zoë Whitlock  zoe@gmail.com',
    '2   山田 太郎     -',
    '3   Zoe\u0308 🍺        z@gmail.com',
    '',
  ]);
});
