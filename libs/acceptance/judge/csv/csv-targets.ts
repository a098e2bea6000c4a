import { ColumnRules } from '../columns/column-rules.js';
import type { CsvShape } from '../chunk/csv-shape.js';
import { readingOf } from './csv-values.js';
import type { JudgeJob } from '../chunk/judge-job.js';
import { KIND_NAMES, nameOfKind } from '../values/kinds.js';
import { kindInWords, REASON } from '../refusals/reasons.js';

/** A field that the header names, and its place in a record. */
export interface Field {
  readonly field: number;
  readonly name: string;
}

/** A field of the header whose column exists. */
export interface Target extends Field {
  readonly reading: number;
  readonly rules: ColumnRules;
  /**
   * The kinds of values that go into the column if nothing more is known about them, one bit for
   * each.
   */
  readonly fits: number;
}

/** The targets in the order of the columns. */
export function knownTargets({ columns, exact }: JudgeJob, shape: CsvShape): Target[] {
  const places = new Map(shape.columns.map((name, field) => [name, field]));
  return columns.flatMap((column) => {
    const field = places.get(column.name);
    if (field === undefined) return [];
    const rules = new ColumnRules(column, exact.includes(column.name));
    const fits = KIND_NAMES.reduce(
      (mask, _, kind) => mask | (rules.takes(kind, 0) ? 1 << kind : 0),
      0,
    );
    return [{ field, name: column.name, reading: readingOf(column), rules, fits }];
  });
}

export const wordsFor = (kind: number): string => kindInWords(nameOfKind(kind));

export const whyUnfit = ({ rules }: Target, kind: number, marks: number): string =>
  REASON.noColumn(wordsFor(kind), rules.whyNot(marks));
