import { BEYOND_FLOAT, KIND_NAMES, KINDS } from './kinds.js';

/** Numbers for each field: its values of each kind, and those of them with an integer beyond floats. */
const EACH = 2 * KINDS;

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
    const place = field * EACH + kind;
    if (place + KINDS >= counts.length) {
      this.counts = new Uint32Array(2 * (field + 1) * EACH);
      this.counts.set(counts);
      this.count({ field, kind, marks });
      return;
    }
    counts[place] = (counts[place] ?? 0) + 1;
    if ((marks & BEYOND_FLOAT) !== 0) counts[place + KINDS] = (counts[place + KINDS] ?? 0) + 1;
  }

  /** Counts of a field by kind; `beyond` of those with an integer beyond floats. */
  of(field: number): { readonly kind: string; readonly count: number; readonly beyond: number }[] {
    return KIND_NAMES.map((kind, index) => {
      const place = field * EACH + index;
      return {
        kind,
        count: this.counts[place] ?? 0,
        beyond: this.counts[place + KINDS] ?? 0,
      };
    }).filter(({ count }) => count > 0);
  }
}
