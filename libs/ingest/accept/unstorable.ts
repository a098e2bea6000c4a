import { quoteText, type LocalEngine } from '@app/warehouse';

/** Each try is a conversion; more bad records than this allows fail their upload. */
const TRIES_MAX = 400;
const SEARCH_MS = 10_000;
const REASON = 'it cannot be stored in its columns as it is; send what is nested in it as text';

/**
 * Judged lines, as `judgeRecords` gives them, with a reason for those that the engine cannot store
 * although each value fits by its kind, such as `[1,{}]`: it writes that and cannot read it. They
 * are found by halves, so that they cost their neighbours nothing.
 * @param lines SQL of the verdicts
 * @param isStorable tries records together: SQL of the verdicts that are left
 * @returns undefined when they are too many to be found, or none is to blame by itself
 */
export async function rejectUnstorable(
  engine: LocalEngine,
  lines: string,
  isStorable: (lines: string) => Promise<boolean>,
): Promise<string | undefined> {
  const answer = await engine.run(
    `SELECT toJSONString(groupArray(toUInt32(number))) FROM (SELECT number FROM (${lines}) WHERE reason = '' ORDER BY number)`,
  );
  const among = (from: number, to: number): string =>
    `SELECT * FROM (${lines}) WHERE number BETWEEN ${from} AND ${to}`;
  const bad: number[] = [];
  /** Ranges of which one at least cannot be stored. */
  const open = [JSON.parse(answer) as readonly number[]];
  const begun = performance.now();
  for (let tries = 0; ;) {
    const range = open.pop();
    if (!range) return bad.length > 0 ? rejecting(lines, bad) : undefined;
    const [first = 0] = range;
    if (range.length === 1) {
      bad.push(first);
      continue;
    }
    if (tries >= TRIES_MAX || performance.now() - begun > SEARCH_MS) return undefined;
    const half = range.length >> 1;
    for (const part of [range.slice(0, half), range.slice(half)]) {
      tries += 1;
      if (!(await isStorable(among(part[0] ?? 0, part.at(-1) ?? 0)))) open.push(part);
    }
  }
}

const rejecting = (lines: string, bad: readonly number[]): string =>
  `SELECT number, line, micros, if(number IN (${bad.join(', ')}), ${quoteText(REASON)}, reason) AS reason FROM (${lines})`;
