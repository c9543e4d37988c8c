import { expect, it } from 'vitest';
import { writeRaw } from '../../../src/platform/internals/pino.ts';
import { createLog } from '../../../src/platform/log.ts';

it('writes lines to the destination of a logger, as they are and in order', () => {
  const written: string[] = [];
  const log = createLog('info', { write: (line) => written.push(line) });
  log.info('before');
  writeRaw(log, '{"a":1}\nno JSON\n');
  log.info('after');
  expect(written).toEqual([
    expect.stringContaining('"before"'),
    '{"a":1}\nno JSON\n',
    expect.stringContaining('"after"'),
  ]);
});
