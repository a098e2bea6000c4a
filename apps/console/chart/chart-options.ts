import type uPlot from 'uplot';
import { barsOf, nearest } from './chart-bars.js';
import type { ChartData } from './chart-series.js';

export const KINDS = { line: 'Line', area: 'Area', bars: 'Bars' } as const;
export type Kind = keyof typeof KINDS;

const COLOURS = [
  '#1f77b4',
  '#d95f02',
  '#1b9e77',
  '#c2255c',
  '#7570b3',
  '#a6761d',
  '#0b7285',
  '#868e96',
];

const DAY = '\n{YYYY}-{MM}-{DD}';
const DAY_S = 86_400;
/**
 * The texts of times below the axis, as on the rest of the page: the year comes first, and the day
 * has 24 hours. Each row has the smallest step that it is for, the text, the texts that are added
 * where the year, the month, the day, the hour, the minute and the second change, and 1 for adding.
 */
const TIME_STAMPS: (string | number | null)[][] = [
  [365 * DAY_S, '{YYYY}', null, null, null, null, null, null, 1],
  [28 * DAY_S, '{YYYY}-{MM}', null, null, null, null, null, null, 1],
  [DAY_S, '{MM}-{DD}', '\n{YYYY}', null, null, null, null, null, 1],
  [60, '{HH}:{mm}', DAY, null, DAY, null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', DAY, null, DAY, null, null, null, 1],
  [
    0.001,
    ':{ss}.{fff}',
    `${DAY} {HH}:{mm}`,
    null,
    `${DAY} {HH}:{mm}`,
    null,
    '\n{HH}:{mm}',
    null,
    1,
  ],
];

/** The axis shows so many seconds on both sides of a time that stands alone. */
const ALONE_S = 1800;

/** The look of a chart on the page. */
interface Look {
  readonly kind: Kind;
  /** Gives the colour of words and lines. It may have changed the next time the chart is drawn. */
  readonly ink: () => string;
  /** Width and height are in CSS pixels. */
  readonly width: number;
  readonly height: number;
}

/**
 * Says to uPlot how to draw.
 * @param library is loaded when somebody looks at a chart
 */
export function chartOptions(
  library: typeof uPlot,
  data: ChartData,
  { kind, ink, width, height }: Look,
): uPlot.Options {
  const { x, categories, isTime, series } = data;
  const axis = { stroke: ink, grid: { stroke: ink, width: 0.15 } };
  // A single time would be drawn at the left of years.
  const isAlone = isTime && x.length === 1 && kind !== 'bars';
  const half = isAlone ? ALONE_S : nearest(x) / 2;
  // The first and the last bar would be cut in half without this.
  const isPadded = kind === 'bars' || categories !== undefined || isAlone;
  const padded = (_chart: uPlot, min: number, max: number): [number, number] => [
    min - half,
    max + half,
  ];
  // The height of an area or a bar is its value only where it begins at zero.
  const fromZero = (_chart: uPlot, min: number, max: number): uPlot.Range.MinMax =>
    library.rangeNum(Math.min(0, min), Math.max(0, max), 0.1, true);
  return {
    width,
    height,
    scales: {
      x: { time: isTime, ...(isPadded ? { range: padded } : {}) },
      y: kind === 'line' ? {} : { range: fromZero },
    },
    axes: [xAxis(axis, data), { ...axis, size: 70 }],
    series: [
      xSeries(data),
      ...series.map(({ name }, index) => {
        const colour = COLOURS[index % COLOURS.length] ?? '';
        const drawn: uPlot.Series = { label: name, stroke: colour, width: 2, spanGaps: true };
        if (kind === 'area') return { ...drawn, fill: `${colour}55` };
        const paths =
          kind === 'bars' ? barsOf(library, x, { index, count: series.length }) : undefined;
        return paths ? { ...drawn, width: 0, fill: colour, points: { show: false }, paths } : drawn;
      }),
    ],
    ...(isTime ? { tzDate: (at: number) => library.tzDate(new Date(at * 1000), 'UTC') } : {}),
  };
}

function xAxis(axis: uPlot.Axis, { categories, isTime }: ChartData): uPlot.Axis {
  if (isTime) return { ...axis, values: TIME_STAMPS };
  if (!categories) return axis;
  const values = (_chart: uPlot, splits: number[]): string[] =>
    splits.map((at) => (Number.isInteger(at) ? (categories[at] ?? '') : ''));
  return { ...axis, values };
}

/** The legend says this of the point below the pointer. */
function xSeries({ categories, isTime }: ChartData): uPlot.Series {
  if (isTime) return { label: 'Time (UTC)', value: '{YYYY}-{MM}-{DD} {HH}:{mm}:{ss}' };
  if (!categories) return {};
  return { value: (_chart, at: number | null) => categories[at ?? -1] ?? '' };
}
