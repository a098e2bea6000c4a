import { useEffect, useRef, useState } from 'preact/hooks';
import type { ChartData } from './chart-series.js';

const KINDS = { line: 'Line', area: 'Area', bars: 'Bars' } as const;
type Kind = keyof typeof KINDS;

const HEIGHT_MIN_PX = 280;
/** Of the window's height. */
const HEIGHT_PART = 0.45;
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

const sizeIn = ({ clientWidth: width }: HTMLElement) => ({
  width,
  height: Math.max(HEIGHT_MIN_PX, Math.round(window.innerHeight * HEIGHT_PART)),
});

/** The library comes when somebody looks at a chart for the first time. */
export function Chart({ data }: { readonly data: ChartData }) {
  const place = useRef<HTMLDivElement>(null);
  const [kind, setKind] = useState<Kind>(data.categories ? 'bars' : 'line');

  useEffect(() => {
    const element = place.current;
    if (!element) return;
    let isGone = false;
    let close = (): void => undefined;
    void import('uplot').then(({ default: UPlot }) => {
      if (isGone) return;
      const ink = getComputedStyle(element).color;
      const axis = { stroke: ink, grid: { stroke: ink, width: 0.15 } };
      const bars = UPlot.paths.bars?.({ size: [0.7, 60] });
      const { categories } = data;
      const chart = new UPlot(
        {
          ...sizeIn(element),
          scales: {
            x: {
              time: data.isTime,
              ...(categories ? { range: [-0.6, categories.length - 0.4] as [number, number] } : {}),
            },
          },
          axes: [
            categories
              ? {
                  ...axis,
                  values: (_chart, splits) =>
                    splits.map((at) => (Number.isInteger(at) ? (categories[at] ?? '') : '')),
                }
              : axis,
            { ...axis, size: 70 },
          ],
          series: [
            categories ? { value: (_chart, at: number | null) => categories[at ?? -1] ?? '' } : {},
            ...data.series.map(({ name }, index) => {
              const stroke = COLOURS[index % COLOURS.length] ?? '';
              return {
                label: name,
                stroke,
                width: 2,
                spanGaps: true,
                ...(kind === 'area' ? { fill: `${stroke}55` } : {}),
                ...(kind === 'bars' && bars ? { paths: bars, fill: `${stroke}aa` } : {}),
              };
            }),
          ],
          ...(data.isTime
            ? { tzDate: (at: number) => UPlot.tzDate(new Date(at * 1000), 'UTC') }
            : {}),
        },
        [[...data.x], ...data.series.map(({ y }) => [...y])],
        element,
      );
      const watch = new ResizeObserver(() => chart.setSize(sizeIn(element)));
      watch.observe(element);
      close = () => {
        watch.disconnect();
        chart.destroy();
      };
    });
    return () => {
      isGone = true;
      close();
    };
  }, [data, kind]);

  const named = data.series.map(({ name }) => name).join(', ');
  return (
    <section class="chart" aria-label="Chart">
      <div class="bar" role="group" aria-label="Kind of chart">
        {(Object.keys(KINDS) as Kind[]).map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === kind}
            onClick={() => setKind(each)}
          >
            {KINDS[each]}
          </button>
        ))}
      </div>
      <div
        ref={place}
        class="plot"
        role="img"
        aria-label={`${KINDS[kind]} of ${named}: ${data.x.length} points. The table has the numbers.`}
      />
    </section>
  );
}
