type Row = Readonly<Record<string, unknown>>;

/** Floats are added up in another order, and ROAPI's averages of decimals have six digits behind the point. */
const RELATIVE = 1e-12;
const ABSOLUTE = 1e-6;

/** Decimals are numbers in one program and texts in the other. */
const numberOf = (value: unknown): number | undefined => {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : undefined;
};

function isSame(wanted: unknown, got: unknown): boolean {
  const [one, other] = [numberOf(wanted), numberOf(got)];
  if (one === undefined || other === undefined) return wanted === got;
  return Math.abs(one - other) <= ABSOLUTE + RELATIVE * Math.abs(one);
}

/**
 * Lists the rows that differ, compared by their JSON. ROAPI leaves out fields that are null.
 * @returns nothing where they are alike.
 */
export function differences(wanted: string, got: string): readonly unknown[] {
  const [theirs, ours] = [JSON.parse(wanted) as readonly Row[], JSON.parse(got) as readonly Row[]];
  if (theirs.length !== ours.length) return [{ wanted: theirs.length, got: ours.length }];
  return ours.flatMap((row, at) => {
    const other = theirs[at] ?? {};
    return [...new Set([...Object.keys(row), ...Object.keys(other)])].flatMap((name) => {
      const [one, two] = [other[name] ?? null, row[name] ?? null];
      return isSame(one, two) ? [] : [{ at, name, wanted: one, got: two }];
    });
  });
}
