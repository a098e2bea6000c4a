import {
  BEYOND_FLOAT,
  CHANGED_IN_MIXED_ARRAYS,
  CHANGED_IN_OBJECTS,
  EMPTY_ARRAY,
  KIND_NAMES,
  KINDS,
  MIXED_ARRAY,
  OBJECTS,
  OWN,
} from '../values/kinds.js';

/** Numbers for each field: its values of each kind, those of them with an integer beyond floats, and marks of its arrays. */
const EACH = 2 * KINDS + 1;
const MARKS = 2 * KINDS;
/** Marks of arrays that a column of their type would change, with its type. */
const CHANGED = [
  [CHANGED_IN_OBJECTS, KIND_NAMES[OBJECTS]],
  [CHANGED_IN_MIXED_ARRAYS, KIND_NAMES[MIXED_ARRAY]],
] as const;

interface Counted {
  readonly field: number;
  readonly kind: number;
  readonly marks: number;
}

/** Counts the values of fields by their kinds. */
export class FieldSurvey {
  private counts = new Uint32Array(64 * EACH);

  count({ field, kind, marks }: Counted): void {
    const { counts } = this;
    const begin = field * EACH;
    const place = begin + kind;
    if (begin + EACH > counts.length) {
      this.counts = new Uint32Array(2 * (field + 1) * EACH);
      this.counts.set(counts);
      this.count({ field, kind, marks });
      return;
    }
    counts[place] = (counts[place] ?? 0) + 1;
    if (marks === 0) return;
    if ((marks & BEYOND_FLOAT) !== 0) counts[place + KINDS] = (counts[place + KINDS] ?? 0) + 1;
    if (kind >= EMPTY_ARRAY) counts[begin + MARKS] = (counts[begin + MARKS] ?? 0) | marks;
  }

  /**
   * Counts of a field by kind; `beyond` of those with an integer beyond floats.
   * @param own the kind of its column's values that were looked at
   */
  of(
    field: number,
    own = '',
  ): { readonly kind: string; readonly count: number; readonly beyond: number }[] {
    return KIND_NAMES.map((kind, index) => {
      const place = field * EACH + index;
      return {
        kind: index === OWN ? own : kind,
        count: this.counts[place] ?? 0,
        beyond: this.counts[place + KINDS] ?? 0,
      };
    }).filter(({ count }) => count > 0);
  }

  /** Types of columns that would change one of its arrays. */
  changing(field: number): string[] {
    const marks = this.counts[field * EACH + MARKS] ?? 0;
    return CHANGED.filter(([mark]) => (marks & mark) !== 0).map(([, type]) => type);
  }
}
