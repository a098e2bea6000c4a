import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { CopyButton } from '../frame/copy-button.js';
import { CELL_LETTERS_MAX, columnsOf, fitted } from './column-widths.js';
import { rowFields, spread, type RawValue } from './row-fields.js';

const ROW_PX = 28;
/** This many rows beyond the edges are drawn, so that scrolling shows no gaps. */
const BEYOND = 12;

/** Draws a window of the rows: as many elements as fit, whatever the result has. */
export function ResultGrid({ lines }: { readonly lines: readonly string[] }) {
  const place = useRef<HTMLDivElement>(null);
  /** The row at the upper edge. While one row scrolls by, nothing is drawn again. */
  const [top, setTop] = useState(0);
  const [{ height, room }, setSize] = useState({ height: 400, room: 0 });
  const [chosen, setChosen] = useState<number>();
  const record = useRef<HTMLDivElement>(null);
  const [click, setClick] = useState<MouseEvent>();
  const natural = useMemo(() => columnsOf(lines), [lines]);
  const columns = useMemo(() => fitted(natural, room), [natural, room]);

  // This runs before the page is painted: columns that take their width later would move.
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    element.scrollTop = 0;
    setTop(0);
    setChosen(undefined);
    const measure = (): void =>
      setSize({ height: element.clientHeight, room: element.clientWidth });
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    return () => watch.disconnect();
  }, [lines]);

  // On a small screen the record stands below the visible area, so a tap on a row would seem to do
  // nothing.
  useEffect(() => {
    if (click) record.current?.scrollIntoView({ block: 'nearest' });
  }, [click]);

  const first = Math.max(0, top - BEYOND);
  const last = Math.min(lines.length, top + Math.ceil(height / ROW_PX) + 1 + BEYOND);
  const width = columns.reduce((sum, column) => sum + column.width, 0);

  const choose = (row: number): void => {
    const at = Math.max(0, Math.min(lines.length - 1, row));
    setChosen(at);
    const element = place.current;
    if (!element) return;
    const [above, below] = [at * ROW_PX, (at + 2) * ROW_PX];
    if (above < element.scrollTop) element.scrollTop = above;
    else if (below > element.scrollTop + element.clientHeight)
      element.scrollTop = below - element.clientHeight;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor(height / ROW_PX) - 2);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: (chosen ?? -1) + 1,
      ArrowUp: (chosen ?? 1) - 1,
      PageDown: (chosen ?? 0) + page,
      PageUp: (chosen ?? 0) - page,
      Home: 0,
      End: lines.length - 1,
    };
    const row = steps[event.key];
    if (row === undefined) return;
    event.preventDefault();
    choose(row);
  };

  return (
    <>
      <div
        ref={place}
        class="grid"
        role="grid"
        tabIndex={0}
        aria-label="Result"
        aria-rowcount={lines.length + 1}
        aria-colcount={columns.length}
        aria-activedescendant={chosen === undefined ? undefined : `row-${chosen}`}
        onScroll={({ currentTarget }) => setTop(Math.floor(currentTarget.scrollTop / ROW_PX))}
        onKeyDown={onKeyDown}
      >
        <div class="row head" role="row" aria-rowindex={1} style={{ width: `${width}px` }}>
          {columns.map(({ name, width: own, isNumeric }) => (
            <div
              key={name}
              class={isNumeric ? 'number' : undefined}
              role="columnheader"
              style={{ width: `${own}px` }}
              title={name}
            >
              {name}
            </div>
          ))}
        </div>
        <div role="rowgroup" style={{ height: `${lines.length * ROW_PX}px`, width: `${width}px` }}>
          {lines.slice(first, last).map((line, index) => {
            const row = first + index;
            const fields = rowFields(line);
            return (
              <div
                key={row}
                id={`row-${row}`}
                class="row"
                role="row"
                aria-rowindex={row + 2}
                aria-selected={row === chosen}
                style={{ top: `${row * ROW_PX + ROW_PX}px` }}
                onClick={(event) => {
                  setChosen(row);
                  setClick(event);
                }}
              >
                {columns.map(({ name, width: own }) => (
                  <Cell key={name} value={fields.get(name)} width={own} />
                ))}
              </div>
            );
          })}
        </div>
      </div>
      {chosen !== undefined && lines[chosen] !== undefined && (
        <Record
          place={record}
          row={chosen}
          line={lines[chosen]}
          onClose={() => setChosen(undefined)}
        />
      )}
    </>
  );
}

function Cell({ value, width }: { readonly value: RawValue | undefined; readonly width: number }) {
  const { kind, text } = value ?? { kind: 'null', text: '' };
  return (
    <div role="gridcell" class={kind} style={{ width: `${width}px` }}>
      {text.slice(0, CELL_LETTERS_MAX)}
    </div>
  );
}

/** Shows one record whole, its nested values over several lines. */
function Record({
  place,
  row,
  line,
  onClose,
}: {
  /** The head of the record is put here. */
  readonly place: RefObject<HTMLDivElement>;
  readonly row: number;
  readonly line: string;
  readonly onClose: () => void;
}) {
  return (
    <section class="record" aria-label={`Row ${row + 1}`}>
      <div ref={place} class="bar">
        <strong>Row {row + 1}</strong>
        <CopyButton text={line} name="Copy as JSON" />
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      <dl>
        {[...rowFields(line)].map(([name, { kind, text }]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class={kind}>
              {kind === 'nested' ? (
                <details open={text.length < CELL_LETTERS_MAX}>
                  <summary>{text.slice(0, 60)}</summary>
                  <pre>{spread(text)}</pre>
                </details>
              ) : (
                text
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
