export const SUMMARY = 'X-ClickHouse-Summary';

const COUNTS = [
  'read_rows',
  'read_bytes',
  'written_rows',
  'written_bytes',
  'total_rows_to_read',
  'result_rows',
  'result_bytes',
] as const;

/** Counts what was read and written, as ClickHouse does: all counts are present, as texts. */
export const summaryOf = (
  counts: Readonly<Partial<Record<(typeof COUNTS)[number], number>>>,
): string =>
  JSON.stringify(
    Object.fromEntries(
      COUNTS.map((name) => {
        const { [name]: count = 0 } = counts;
        return [name, String(count)];
      }),
    ),
  );
