import { rowFields } from './row-fields.js';

export interface Column {
  readonly name: string;
  /** It is in CSS pixels. */
  readonly width: number;
  /** Its head stands above its numbers, which are on the right. */
  readonly isNumeric: boolean;
}

interface WantedColumn extends Column {
  /** Its longest value would take this width. */
  readonly widest: number;
}

const LETTER_PX = 8;
const WIDTH_MIN_PX = 64;
const WIDTH_MAX_PX = 420;
/** This many rows are looked at for widths. */
const SAMPLE = 200;
/** A cell shows so many letters of its value, on the widest screen, too. */
export const CELL_LETTERS_MAX = 300;

/**
 * All rows of an answer have the same columns.
 * @param lines have a JSON object each
 */
export function columnsOf(lines: readonly string[]): readonly WantedColumn[] {
  const sample = lines.slice(0, SAMPLE).map(rowFields);
  return [...(sample[0]?.keys() ?? [])].map((name) => {
    const letters = sample.map((fields) => fields.get(name)?.text.length ?? 0);
    const kinds = sample.map((fields) => fields.get(name)?.kind).filter((kind) => kind !== 'null');
    const isNumeric = kinds.length > 0 && kinds.every((kind) => kind === 'number');
    const most = Math.min(CELL_LETTERS_MAX, Math.max(name.length + 1, ...letters));
    const widest = Math.max(WIDTH_MIN_PX, most * LETTER_PX + 20);
    return { name, width: Math.min(WIDTH_MAX_PX, widest), widest, isNumeric };
  });
}

/**
 * Gives the width that a wide screen has left to the columns that are cut off, to each as much as
 * to the others.
 */
export function fitted(columns: readonly WantedColumn[], room: number): readonly Column[] {
  let left = room - columns.reduce((sum, { width }) => sum + width, 0);
  const given = new Map(columns.map(({ name, width }) => [name, width]));
  const byNeed = columns
    .filter(({ width, widest }) => widest > width)
    .sort((one, other) => one.widest - one.width - (other.widest - other.width));
  for (const [index, { name, width, widest }] of byNeed.entries()) {
    const share = Math.max(0, Math.floor(left / (byNeed.length - index)));
    const more = Math.min(widest - width, share);
    given.set(name, width + more);
    left -= more;
  }
  return columns.map(({ name, width, isNumeric }) => ({
    name,
    width: given.get(name) ?? width,
    isNumeric,
  }));
}
