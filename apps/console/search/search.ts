import { apiOf, request } from '../api/request.js';
import { listElements, rowFields } from '../grid/row-fields.js';
import { quotedName } from '../editor/error-place.js';
import type { Bucket } from './bins.js';

/** This many lines come at once. */
export const PAGE = 100;
/**
 * A range with two ends is asked for in so many buckets, ten for each bar: buckets begin at whole
 * multiples of their length, bars where the range does, and the first bar would have two large ones.
 */
const BUCKETS = 600;
/** The search asks for so many small buckets where the range has no ends. */
const BUCKETS_MAX = 10_000;

/** Somebody looks for this; times are in microseconds since the epoch. */
export interface Wanted {
  readonly organization: string;
  readonly stream: string;
  /** It is SQL, and empty for all rows. */
  readonly condition: string;
  readonly start: number | undefined;
  readonly end: number;
}

export interface Page {
  /** Each line is the JSON of a record, the newest first. */
  readonly lines: readonly string[];
  readonly total: number;
  readonly buckets: readonly Bucket[];
}

/**
 * Searches.
 * @param from says how many are there already; only the first page has buckets
 * @throws {ApiFailure}
 */
export const search = (wanted: Wanted, from: number, signal: AbortSignal): Promise<Page> =>
  ask(wanted, from, PAGE, signal);

/**
 * Counts records over time, without reading a line of them.
 * @throws {ApiFailure}
 */
export const countOverTime = (wanted: Wanted): Promise<Page> => ask(wanted, 0, 0);

async function ask(
  wanted: Wanted,
  from: number,
  size: number,
  signal?: AbortSignal,
): Promise<Page> {
  const { organization, stream, condition, start, end } = wanted;
  const where = condition === '' ? '' : ` WHERE ${condition}`;
  const sql = `SELECT * FROM ${quotedName(stream)}${where}`;
  const query = { sql, from, size, start_time: start ?? 0, end_time: end };
  const number = start === undefined ? '' : `, ${BUCKETS}`;
  const buckets = `SELECT histogram(_timestamp${number}) AS k, count(*) AS n FROM query GROUP BY k ORDER BY k DESC LIMIT ${BUCKETS_MAX}`;
  const response = await request(`${apiOf(organization)}/_search`, {
    method: 'POST',
    body: JSON.stringify({ query, ...(from === 0 ? { aggs: { buckets } } : {}) }),
    ...(signal && { signal }),
  });
  const text = await response.text();
  const answer = rowFields(text);
  const found = rowFields(answer.get('aggs')?.text ?? '{}').get('buckets')?.text ?? '[]';
  return {
    lines: listElements(answer.get('hits')?.text ?? '[]'),
    total: Number(answer.get('total')?.text ?? 0),
    buckets: (JSON.parse(found) as { k: string; n: number }[]).map(({ k, n }) => ({
      at: Date.parse(`${k}Z`),
      records: n,
    })),
  };
}

/**
 * Reads the records before and after a time, the newest first.
 * @throws {ApiFailure}
 */
export async function linesAround(
  organization: string,
  stream: string,
  timestamp: string,
): Promise<readonly string[]> {
  const path = `${apiOf(organization)}/${encodeURIComponent(stream)}/_around`;
  const response = await request(`${path}?key=${timestamp}&size=${PAGE}`);
  return listElements(rowFields(await response.text()).get('hits')?.text ?? '[]');
}
