/*
 * Charts as SVG for Markdown pages. They follow the light or dark scheme and have no scripts or external files.
 */

const width = 760;
const colours = ['#2f81f7', '#d29922', '#3fb950', '#db61a2', '#a371f7', '#f0883e', '#39c5cf', '#8b949e'];
/** Separate greys for the light and dark scheme. */
const style = `<style>
  text { font: 12px system-ui, sans-serif; fill: #1f2328 } .title { font-size: 14px; font-weight: 600 } .faint { fill: #59636e }
  .axis { stroke: #d1d9e0; fill: none } .goal { stroke: #cf222e; stroke-dasharray: 5 4 }
  @media (prefers-color-scheme: dark) { text { fill: #f0f6fc } .faint { fill: #9198a1 } .axis { stroke: #3d444d } .goal { stroke: #ff7b72 } }
</style>`;

export interface BarChart {
  title: string;
  /** The unit of the axis. */
  unit: string;
  series: string[];
  /** A group of bars per entry. Undefined: not measured. */
  groups: { name: string; values: (number | undefined)[] }[];
}

export function bars({ title, unit, series, groups }: BarChart): string {
  const [left, top, bar, gap] = [250, 62, 13, 12];
  const inner = width - left - 70;
  const most = Math.max(...groups.flatMap(({ values }) => values.map((value) => value ?? 0)), 0);
  const ticks = ticksTo(most);
  const end = ticks.at(-1) ?? 1;
  const x = (value: number) => left + (value / end) * inner;
  const each = series.length * bar + gap;
  const bottom = top + groups.length * each;
  const parts = groups.flatMap(({ name, values }, group) => {
    const y = top + group * each;
    return [
      text(left - 8, y + (series.length * bar) / 2 + 4, name, 'text-anchor="end"'),
      ...values.map((value, place) =>
        value === undefined
          ? ''
          : `<rect x="${left}" y="${y + place * bar}" width="${round(x(value) - left)}" height="${bar - 2}" fill="${colour(place)}"/>${text(x(value) + 4, y + place * bar + 10, short(value), 'class="faint"')}`,
      ),
    ];
  });
  const axis = ticks.map(
    (tick) =>
      `<path class="axis" d="M${round(x(tick))} ${top - 4}V${bottom}"/>${text(x(tick), bottom + 14, short(tick), 'class="faint" text-anchor="middle"')}`,
  );
  return svg(bottom + 40, title, [
    ...legend(series),
    ...axis,
    ...parts,
    text(left + inner / 2, bottom + 32, unit, 'class="faint" text-anchor="middle"'),
  ]);
}

export interface LineChart {
  title: string;
  unit: string;
  /** The labels of the x axis, with equal distances. */
  along: string;
  points: string[];
  series: { name: string; values: (number | undefined)[] }[];
  /** A limit, drawn as a line. */
  goal?: number;
}

export function lines({ title, unit, along, points, series, goal }: LineChart): string {
  const [left, top, high] = [64, 42 + 20 * Math.ceil(series.length / 3), 260];
  const inner = width - left - 40;
  const ticks = ticksTo(Math.max(...series.flatMap(({ values }) => values.map((value) => value ?? 0)), goal ?? 0));
  const end = ticks.at(-1) ?? 1;
  const x = (place: number) => left + (points.length === 1 ? 0.5 : place / (points.length - 1)) * inner;
  const y = (value: number) => top + high - (value / end) * high;
  const drawn = series.flatMap(({ values }, place) => {
    const known = values.flatMap((value, at) =>
      value === undefined ? [] : [[round(x(at)), round(y(value))] as const],
    );
    return [
      `<polyline fill="none" stroke="${colour(place)}" stroke-width="2" points="${known.map((at) => at.join(',')).join(' ')}"/>`,
      ...known.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3.5" fill="${colour(place)}"/>`),
    ];
  });
  return svg(top + high + 46, title, [
    ...legend(series.map(({ name }) => name)),
    ...ticks.map(
      (tick) =>
        `<path class="axis" d="M${left} ${round(y(tick))}H${left + inner}"/>${text(left - 8, y(tick) + 4, short(tick), 'class="faint" text-anchor="end"')}`,
    ),
    ...points.map((point, place) => text(x(place), top + high + 18, point, 'class="faint" text-anchor="middle"')),
    text(left + inner / 2, top + high + 36, along, 'class="faint" text-anchor="middle"'),
    `<text class="faint" transform="translate(14 ${top + high / 2}) rotate(-90)" text-anchor="middle">${escaped(unit)}</text>`,
    ...(goal === undefined ? [] : [`<path class="goal" d="M${left} ${round(y(goal))}H${left + inner}"/>`]),
    ...drawn,
  ]);
}

function svg(height: number, title: string, parts: string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
${[style, text(10, 20, title, 'class="title"'), ...parts].filter((part) => part !== '').join('\n')}
</svg>
`;
}

/** Three entries per line. */
function legend(names: string[]): string[] {
  return names.map((name, place) => {
    const [x, y] = [10 + (place % 3) * 250, 32 + Math.floor(place / 3) * 20];
    return `<rect x="${x}" y="${y}" width="11" height="11" fill="${colour(place)}"/>${text(x + 17, y + 10, name)}`;
  });
}

const colour = (place: number) => colours[place % colours.length] as string;
const round = (value: number) => Number(value.toFixed(1));
const text = (x: number, y: number, words: string, attributes = '') =>
  `<text x="${round(x)}" y="${round(y)}"${attributes && ` ${attributes}`}>${escaped(words)}</text>`;
export const escaped = (words: string) =>
  words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Ticks from 0 to above the maximum, in four to six round steps. */
export function ticksTo(most: number): number[] {
  if (!(most > 0)) return [0, 1];
  const rough = most / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((one) => one * power >= rough) ?? 10) * power;
  const steps = Math.ceil(most / step - 1e-9);
  return Array.from({ length: steps + 1 }, (_, place) => Number((place * step).toPrecision(12)));
}

/** 12500 is 12.5k. */
export function short(value: number): string {
  const brief = (number: number) => String(Number(number.toPrecision(3)));
  return value >= 1000 ? `${brief(value / 1000)}k` : brief(value);
}
