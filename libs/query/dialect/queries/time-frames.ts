import { MillraceError } from '@app/platform';
import { isList, isQuery, isSymbol, isWord, itemsOf, type Nodes } from '../source-tree.js';

const SECONDS: Readonly<Record<string, number>> = {
  Second: 1,
  Minute: 60,
  Hour: 3600,
  Day: 86_400,
  Week: 604_800,
};
const LENGTH = /^toInterval([A-Z][a-z]+)$/;
const BEGINS = /^(?:BETWEEN|UNBOUNDED|CURRENT|toInterval[A-Z][a-z]+)$/;
/** The largest frame that the engine accepts. */
const FRAME_SECONDS_MAX = 2 ** 31 - 1;
/** A distance beyond every frame of a time. */
const FAR_SECONDS = '1e15';

/**
 * Writes the content of `OVER (ORDER BY t RANGE BETWEEN INTERVAL '7 days' PRECEDING AND CURRENT
 * ROW)`. The engine accepts only numbers of 32 bits there, so rows are ordered by their seconds.
 * @returns undefined for anything else.
 * @throws {MillraceError} INVALID_SQL for a frame that is no number of seconds.
 */
export function timeFrame(nodes: Nodes, write: (nodes: Nodes) => string): string | undefined {
  const frame = frameAt(nodes);
  if (frame === -1) return undefined;
  if (!nodes.slice(frame).some((node) => LENGTH.test(node.text)))
    return numberFrame(nodes, frame, write);
  const order = nodes.findIndex((node, at) => isWord(node, 'ORDER') && isWord(nodes[at + 1], 'BY'));
  const keys = order === -1 || order > frame ? [] : itemsOf(nodes.slice(order + 2, frame));
  const [key, more] = keys;
  if (!key || more) throw refused('is of one time, in ORDER BY');
  const end = key.findIndex((node) => /^(?:ASC|DESC|NULLS)$/i.test(node.text));
  const [time, sort] = end === -1 ? [key, []] : [key.slice(0, end), key.slice(end)];
  const before = order === 0 ? [] : [write(nodes.slice(0, order))];
  const seconds = `(toUnixTimestamp64Micro(toDateTime64(${write(time)}, 6, 'UTC')) / 1000000)`;
  // A row without a time is in one frame only with other such rows, before all times or after them.
  const isFirst = sort.some((node) => isWord(node, 'FIRST'));
  const isDescending = sort.some((node) => isWord(node, 'DESC'));
  const apart = `${isFirst === isDescending ? '' : '-'}${FAR_SECONDS}`;
  return [
    ...before,
    `ORDER BY ifNull(${seconds}, ${apart})`,
    ...(sort.length === 0 ? [] : [write(sort)]),
    offsets(nodes.slice(frame)),
  ].join(' ');
}

/**
 * `RANGE BETWEEN 2 PRECEDING AND CURRENT ROW`: the engine takes a null for a zero there. So rows
 * without a key are in a partition of their own.
 */
function numberFrame(
  nodes: Nodes,
  frame: number,
  write: (nodes: Nodes) => string,
): string | undefined {
  const bounds = nodes.slice(frame);
  const order = nodes.findIndex((node, at) => isWord(node, 'ORDER') && isWord(nodes[at + 1], 'BY'));
  const keys = order === -1 ? [] : itemsOf(nodes.slice(order + 2, frame));
  const [key, more] = keys;
  if (!key || more || !bounds.some(({ kind }) => kind === 'number')) return undefined;
  const end = key.findIndex((node) => /^(?:ASC|DESC|NULLS)$/i.test(node.text));
  const value = end === -1 ? key : key.slice(0, end);
  const isColumn = value.every((node) => node.kind !== 'group' && node.kind !== 'number');
  if (bounds.some((node) => isWord(node, 'UNBOUNDED'))) {
    if (!isColumn) return undefined;
    throw new MillraceError('INVALID_SQL', 'RANGE from UNBOUNDED to a number takes nulls for zeros: say what they are, ORDER BY coalesce(n, -1)'); // prettier-ignore
  }
  const isPartitioned = isWord(nodes[0], 'PARTITION');
  if (order > 0 && !isPartitioned) return undefined;
  const others = isPartitioned ? `, ${write(nodes.slice(2, order))}` : '';
  return `PARTITION BY isNull(${write(value)})${others} ${write(nodes.slice(order))}`;
}

/**
 * The place where RANGE begins the frame of a window, as the engine prints it; -1 otherwise, for
 * example for a column with that name.
 */
function frameAt(nodes: Nodes): number {
  if (isQuery(nodes) || !/^(?:PRECEDING|FOLLOWING|ROW)$/.test(nodes.at(-1)?.text ?? '')) return -1;
  return nodes.findIndex(
    (node, at) => node.kind === 'word' && node.text === 'RANGE' && BEGINS.test(nodes[at + 1]?.text ?? ''), // prettier-ignore
  );
}

function offsets(frame: Nodes): string {
  const words: string[] = [];
  for (let at = 0; at < frame.length; at += 1) {
    const [node, list] = [frame[at], frame[at + 1]];
    const [, unit] = LENGTH.exec(node?.text ?? '') ?? [];
    if (unit === undefined) {
      words.push(node?.kind === 'group' ? '' : (node?.text ?? ''));
      continue;
    }
    const [count, more] = isList(list) ? list.nodes : [];
    const length = SECONDS[unit];
    if (count?.kind !== 'number' || more || isSymbol(count, '-') || length === undefined)
      throw refused('counts seconds, minutes, hours, days or weeks, written out');
    const seconds = Number(count.text) * length;
    if (seconds > FRAME_SECONDS_MAX)
      throw refused(`goes as far as 24855 days, not ${count.text} ${unit.toLowerCase()}s`);
    words.push(String(seconds));
    at += 1;
  }
  return words.join(' ');
}

const refused = (what: string): MillraceError =>
  new MillraceError('INVALID_SQL', `RANGE by an interval ${what}: RANGE BETWEEN INTERVAL '7 days' PRECEDING AND CURRENT ROW`); // prettier-ignore
