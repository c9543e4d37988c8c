import type { Random } from '../../../../src/shared/random.ts';
import { byFormat, marks, notJson, numbers, shortTexts } from './texts.ts';

/** JSON text that `JSON.stringify` does not produce. */
export class Literal {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A hostile text. Some are long, and some of the long ones do not compress, so that they exceed the size limit of an index. */
export function hostileText(chance: Random, format?: string): string {
  const fitting = format === undefined ? undefined : byFormat[format];
  if (fitting && chance.percent(50)) return chance.pick(fitting);
  if (chance.percent(80)) return chance.pick(shortTexts);
  return longText(chance);
}

function longText(chance: Random): string {
  const length = chance.pick([255, 255, 256, 500, 501, 1000, 3000, 10_000, 10_001, 70_000]);
  const letter = chance.pick(['a', '\u00e9', '\u{1f600}', ' x', '\u0130', "'", '\\', ',', '-', '.']);
  if (chance.percent(50)) return letter.repeat(length);
  return Array.from({ length }, () =>
    String.fromCodePoint(chance.pick([0x21, 0x430, 0x4e00, 0x20000]) + chance.below(80)),
  ).join('');
}

/** A hostile value of any type. */
export function hostileValue(chance: Random, format?: string): unknown {
  switch (chance.below(10)) {
    case 0:
      return chance.pick([null, true, false, [], {}, [[]], [null], [{}], [[[[]]]], { id: 1 }]);
    case 1:
    case 2:
      return new Literal(chance.pick(numbers));
    case 3:
      return chance.pick(numbers);
    case 4:
      return chance.once(4) ? new Literal(chance.pick(notJson)) : hostileObject(chance);
    case 5:
      return hostileList(chance);
    default:
      return hostileText(chance, format);
  }
}

function hostileObject(chance: Random): unknown {
  const name = chance.pick(marks.prototypes);
  return new Literal(
    `{${JSON.stringify(name)}:${JSON.stringify(hostileText(chance))},"x":{"__proto__":{"admin":true}}}`,
  );
}

function hostileList(chance: Random): unknown {
  if (chance.once(6)) return deep(chance.pick([10, 100, 1000, 10_000, 100_000]), chance.once(2));
  const count = chance.once(20) ? 10_000 : chance.below(5);
  const value = hostileText(chance).slice(0, 20);
  return new Literal(JSON.stringify(Array(count).fill(value)));
}

export function deep(levels: number, asLists: boolean): Literal {
  const [open, close] = asLists ? ['[', ']'] : ['{"a":', '}'];
  return new Literal(`${open.repeat(levels)}1${close.repeat(levels)}`);
}

/** A name that no field has. */
export function hostileName(chance: Random): string {
  return chance.once(2) ? chance.pick(marks.prototypes) : hostileText(chance).slice(0, 300);
}

/** A part of a path, percent-encoded. */
export function hostilePathPart(chance: Random): string {
  const encode = (text: string) => encodeURIComponent(text.isWellFormed() ? text : '\ufffd');
  switch (chance.below(4)) {
    case 0:
      return chance.pick([
        '',
        '%',
        '%zz',
        '%00',
        '%2F',
        '%2e%2e',
        '%E0%A4%A',
        '%ff',
        '%c0%af',
        '..',
        '.',
        '1;a=b',
        '1%20',
        '+1',
        '01',
        '1.0',
        '0x1',
        '1e3',
        '*',
        ':id',
        '{id}',
        '%0d%0aX-Injected:%20yes',
      ]);
    case 1:
      return encode(chance.pick(numbers));
    case 2:
      return chance.pick([
        '0',
        '1',
        '2',
        '-1',
        '999999999999999',
        '9999999999999999',
        '00000000000000001',
        '1'.repeat(101),
        'a'.repeat(5000),
      ]);
    default:
      return encode(hostileText(chance).slice(0, 200));
  }
}
