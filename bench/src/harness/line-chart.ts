/** Points of one line, in order. */
export interface ChartLine {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** The contents of a chart. Both axes are logarithmic. */
export interface Chart {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly xTicks: readonly (readonly [value: number, text: string])[];
  readonly lines: readonly ChartLine[];
}

const width = 720;
const height = 400;
const left = 80;
const right = 190;
const top = 48;
const bottom = 60;
/** Colors that people with red-green color blindness can distinguish. */
const colors = ['#0072b2', '#d55e00', '#009e73', '#cc79a7'];

const scale = (from: number, to: number, start: number, end: number) => (value: number) =>
  Math.round(
    (start + ((Math.log10(value) - Math.log10(from)) / (Math.log10(to) - Math.log10(from))) * (end - start)) * 10,
  ) / 10;

/** The ticks (1, 2 and 5 times the powers of ten) that enclose the numbers. */
const ticksAround = (numbers: readonly number[]): number[] => {
  const all = Array.from({ length: 14 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** (power - 4))).flat();
  const low = Math.min(...numbers);
  const high = Math.max(...numbers);
  const from = all.findLastIndex((tick) => tick <= low);
  const to = all.findIndex((tick) => tick >= high);
  return all.slice(Math.max(0, from), to + 1);
};

const text = (x: number, y: number, content: string, more = ''): string =>
  `<text x="${x}" y="${y}" ${more}>${content}</text>`;

/** Draws a chart as SVG that is readable on light and dark backgrounds. */
export const lineChart = ({ title, xLabel, yLabel, xTicks, lines }: Chart): string => {
  const yTicks = ticksAround(lines.flatMap(({ points }) => points.map(([, y]) => y)));
  const xs = xTicks.map(([value]) => value);
  const x = scale(Math.min(...xs), Math.max(...xs), left, width - right);
  const y = scale(yTicks[0] ?? 1, yTicks.at(-1) ?? 10, height - bottom, top);
  const grid = yTicks.flatMap((tick) => [
    `<line x1="${left}" x2="${width - right}" y1="${y(tick)}" y2="${y(tick)}" stroke="#ccc"/>`,
    text(left - 8, y(tick) + 4, tick.toLocaleString('en'), 'text-anchor="end"'),
  ]);
  const below = xTicks.map(([value, label]) => text(x(value), height - bottom + 20, label, 'text-anchor="middle"'));
  const drawn = lines.flatMap(({ name, points }, index) => {
    const color = colors[index % colors.length] ?? 'black';
    const last = points.at(-1);
    if (last === undefined) return [];
    return [
      `<polyline fill="none" stroke="${color}" stroke-width="2" points="${points.map(([a, b]) => `${x(a)},${y(b)}`).join(' ')}"/>`,
      ...points.map(([a, b]) => `<circle cx="${x(a)}" cy="${y(b)}" r="3.5" fill="${color}"/>`),
      `<line x1="${width - right + 16}" x2="${width - right + 36}" y1="${top + index * 22}" y2="${top + index * 22}" stroke="${color}" stroke-width="3"/>`,
      text(width - right + 42, top + index * 22 + 4, name),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<title>${title}</title>`,
    `<rect width="${width}" height="${height}" fill="white"/>`,
    text(left, 26, title, 'font-size="15" font-weight="bold"'),
    ...grid,
    ...below,
    ...drawn,
    text((left + width - right) / 2, height - 14, xLabel, 'text-anchor="middle"'),
    text(-(height - bottom + top) / 2, 18, yLabel, 'text-anchor="middle" transform="rotate(-90)"'),
    '</svg>',
    '',
  ].join('\n');
};
