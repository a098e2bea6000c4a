import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { watchTheme } from '../frame/theme.js';
import { chartOptions, KINDS, type Kind } from './chart-options.js';
import type { ChartData } from './chart-series.js';

const HEIGHT_MIN_PX = 280;
/** A chart has this share of the window's height. */
const HEIGHT_PART = 0.45;

const sizeIn = ({ clientWidth: width }: HTMLElement) => ({
  width,
  height: Math.max(HEIGHT_MIN_PX, Math.round(window.innerHeight * HEIGHT_PART)),
});

/** The library comes when somebody looks at a chart for the first time. */
function useLibrary(): typeof uPlot | undefined {
  const [library, setLibrary] = useState<typeof uPlot>();
  useEffect(() => {
    let isGone = false;
    void import('uplot').then((module) => {
      if (!isGone) setLibrary(() => module.default);
    });
    return () => {
      isGone = true;
    };
  }, []);
  return library;
}

export function Chart({ data }: { readonly data: ChartData }) {
  const place = useRef<HTMLDivElement>(null);
  const [kind, setKind] = useState<Kind>(data.categories ? 'bars' : 'line');
  const library = useLibrary();

  // With the library at hand, the next chart takes the place of the last one in the same step, so
  // there is no moment without a chart.
  useEffect(() => {
    const element = place.current;
    if (!element || !library) return;
    const ink = (): string => getComputedStyle(element).color;
    const chart = new library(
      chartOptions(library, data, { kind, ink, ...sizeIn(element) }),
      [[...data.x], ...data.series.map(({ y }) => [...y])],
      element,
    );
    const watch = new ResizeObserver(() => chart.setSize(sizeIn(element)));
    watch.observe(element);
    const forget = watchTheme(() => chart.redraw(false));
    return () => {
      watch.disconnect();
      forget();
      chart.destroy();
    };
  }, [library, data, kind]);

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
