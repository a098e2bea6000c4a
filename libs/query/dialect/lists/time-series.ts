import { isList, isWord, itemsOf, type Nodes } from '../source-tree.js';
import type { Write } from '../notations/rewriting.js';
import type { WrittenLength } from '../written-length.js';

const STEP =
  /^\s*(\d{1,9})\s*(microsecond|millisecond|second|minute|hour|day|week|month|quarter|year)s?\s*$/i;
/**
 * Each step is added to the time before: after 31 January and 28 February, the series goes on with
 * the 28th.
 */
const UNEVEN = /^(?:month|quarter|year)$/;
/**
 * The names of the lambdas' parameters. The ends of the series are within the lambdas, so no column
 * may have these names.
 */
const [TIME, TIMES, STEPS] = ['`\u00b7time`', '`\u00b7times`', '`\u00b7step`'];

/**
 * Writes the list of times of `generate_series(from, to, INTERVAL '1 day')` and `range(…)`, as
 * timestamps. Only the first includes the end.
 */
export function timeSeries(
  nodes: Nodes,
  at: number,
  write: Write,
  length: WrittenLength,
): string | undefined {
  const [word, list] = [nodes[at], nodes[at + 1]];
  const isRange = isWord(word, 'RANGE');
  if ((!isRange && !isWord(word, 'GENERATE_SERIES')) || !isList(list)) return undefined;
  const [first, last, step, more] = itemsOf(list.nodes);
  const [, count = '', unit = ''] = STEP.exec(stepOf(step ?? [])) ?? [];
  if (!first || !last || more || Number(count) === 0) return undefined;
  const [from, to] = [first, last].map((each) => `CAST(${write(each)} AS TIMESTAMP)`);
  const name = unit.toLowerCase();
  const steps = `toUInt64(greatest(intDiv(dateDiff('${name}', ${from}, ${to}), ${count}) + 2, 0))`;
  const times = UNEVEN.test(name)
    ? `arrayFold((${TIMES}, ${STEPS}) -> arrayPushBack(${TIMES}, ${TIMES}[-1] + INTERVAL ${count} ${name}), range(${steps}), [${from}])`
    : `arrayMap(${STEPS} -> ${from} + INTERVAL (${STEPS} * ${count}) ${name}, range(${steps}))`;
  return length.add(`arrayFilter(${TIME} -> ${TIME} ${isRange ? '<' : '<='} ${to}, ${times})`);
}

/**
 * The interval in `INTERVAL '1 day'`, `INTERVAL 1 DAY`, `INTERVAL '1' DAY` and `'1 day'::INTERVAL`.
 */
function stepOf(step: Nodes): string {
  const [first, ...rest] = step;
  const isCast = first?.kind === 'text' && isWord(rest.at(-1), 'INTERVAL');
  if (isCast) return first.value;
  if (!isWord(first, 'INTERVAL') || rest.length > 2) return '';
  return rest.map((node) => (node.kind === 'group' ? '' : node.value)).join(' ');
}
