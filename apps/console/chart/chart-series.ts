import { rowFields, type RawValue } from '../grid/row-fields.js';

/** A chart draws one x for each point, and a y of each series there, or none. */
export interface ChartData {
  /**
   * They are seconds since the epoch where `isTime` holds, the places of categories, or other
   * numbers.
   */
  readonly x: readonly number[];
  readonly isTime: boolean;
  /** Words stand below each place where x is neither a time nor a number. */
  readonly categories: readonly string[] | undefined;
  readonly series: readonly { readonly name: string; readonly y: readonly (number | null)[] }[];
}

const POINTS_MAX = 5000;
const SERIES_MAX = 8;
const TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(?:Z|[+-]\d\d:?\d\d)?$/;

type Rows = readonly ReadonlyMap<string, RawValue>[];

/**
 * Finds numbers to draw over the first column that holds times, numbers or words. Words beside a
 * time make a series each.
 * @returns undefined where there is nothing to draw
 */
export function chartData(lines: readonly string[]): ChartData | undefined {
  const rows = lines.slice(0, POINTS_MAX).map(rowFields);
  const names = [...(rows[0]?.keys() ?? [])];
  const kinds = new Map(names.map((name) => [name, kindOf(rows, name)]));
  const numbers = names.filter((name) => kinds.get(name) === 'number');
  const time = names.find((name) => kinds.get(name) === 'time');
  const words = names.find((name) => kinds.get(name) === 'words');
  const x = time ?? words ?? (numbers.length > 1 ? numbers[0] : undefined);
  const ys = numbers.filter((name) => name !== x);
  const [y] = ys;
  if (x === undefined || y === undefined || rows.length < 2) return undefined;
  const places = placesOf(rows, x, time !== undefined, x === words);
  if (time !== undefined && words !== undefined) return bySeries(rows, places, words, y);
  const at = new Map(places.x.map((value, index) => [value, index]));
  const series = ys.slice(0, SERIES_MAX).map((name) => ({ name, y: emptyOf(places) }));
  rows.forEach((row, index) => {
    const place = at.get(places.own[index] ?? NaN);
    if (place === undefined) return;
    for (const { name, y: values } of series) values[place] = numberOf(row.get(name));
  });
  return { ...places, series };
}

interface Places {
  readonly x: readonly number[];
  /** Each row has an x of its own. */
  readonly own: readonly number[];
  readonly isTime: boolean;
  readonly categories: readonly string[] | undefined;
}

function placesOf(rows: Rows, name: string, isTime: boolean, isWords: boolean): Places {
  if (isWords) {
    const own = rows.map((_row, index) => index);
    const categories = rows.map((row) => row.get(name)?.text ?? '');
    return { x: own, own, isTime: false, categories };
  }
  const own = rows.map((row) => {
    const value = row.get(name);
    return isTime ? secondsOf(value?.text ?? '') : (numberOf(value) ?? NaN);
  });
  const x = [...new Set(own.filter((each) => !Number.isNaN(each)))].sort((a, b) => a - b);
  return { x, own, isTime, categories: undefined };
}

function bySeries(rows: Rows, places: Places, words: string, y: string): ChartData {
  const at = new Map(places.x.map((value, index) => [value, index]));
  const series = new Map<string, (number | null)[]>();
  rows.forEach((row, index) => {
    const name = row.get(words)?.text ?? '';
    const place = at.get(places.own[index] ?? NaN);
    if (place === undefined || (!series.has(name) && series.size >= SERIES_MAX)) return;
    const values = series.get(name) ?? emptyOf(places);
    values[place] = numberOf(row.get(y));
    series.set(name, values);
  });
  return { ...places, series: [...series].map(([name, values]) => ({ name, y: values })) };
}

const emptyOf = ({ x }: Places): (number | null)[] => x.map(() => null);

function kindOf(rows: Rows, name: string): 'number' | 'time' | 'words' | 'other' {
  const values = rows.flatMap((row) => {
    const value = row.get(name);
    return value && value.kind !== 'null' ? [value] : [];
  });
  if (values.length === 0) return 'other';
  if (values.every(({ kind }) => kind === 'number')) return 'number';
  if (!values.every(({ kind }) => kind === 'text')) return 'other';
  return values.every(({ text }) => TIME.test(text)) ? 'time' : 'words';
}

/** Times without a zone are UTC, as the server has them. */
function secondsOf(text: string): number {
  const iso = text.replace(' ', 'T');
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/.test(iso) || !iso.includes('T');
  return Date.parse(hasZone ? iso : `${iso}Z`) / 1000;
}

/** A drawing may round values; the grid must not. */
function numberOf(value: RawValue | undefined): number | null {
  return value?.kind === 'number' ? Number(value.text) : null;
}
