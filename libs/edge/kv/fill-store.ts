import { didYouMean } from '@app/platform';
import { quoteIdentifier, readRawBinaryType, withoutNull } from '@app/warehouse';
import { SourceError } from '../sources/source-error.js';
import type { DescribedStore } from '../describe/table-entry.js';
import { loadFailure } from '../registry/prepare/load-failure.js';
import type { Workshop } from '../registry/prepare/open-source.js';
import { dropCopy, newCopyName } from '../registry/prepare/copies.js';
import { prepareTable } from '../registry/prepare/prepare-table.js';

/** The number of rows that a look-up reads. */
const GRANULE_ROWS = 512;

/**
 * Copies keys and values of a store into the engine, by key. Rows without a key or a value are
 * left out; of several with one key the last counts.
 * @returns the copy, quoted
 * @throws {MillraceError} INVALID_PARAMETER that names store, place and reason
 */
export async function fillStore(
  { table, key, value }: DescribedStore,
  workshop: Workshop,
): Promise<string> {
  const { run } = bound(workshop);
  // The data is copied anyway, so it can be ordered by its keys.
  const asked = { ...table, materialize: table.materialize ?? false };
  const { columns, select, copy, asides } = await prepareTable(asked, workshop);
  const names = columns.map(({ name }) => name);
  const text = (name: string): string => {
    const type = columns.find((each) => each.name === name)?.type ?? '';
    const isBytes = readRawBinaryType(withoutNull(type)) !== undefined;
    return `${isBytes ? 'base64Encode' : 'toString'}(${quoteIdentifier(name)})`;
  };
  const target = newCopyName();
  try {
    for (const name of [key, value])
      if (!names.includes(name))
        throw new SourceError(
          `there is no column ${JSON.stringify(name)}${didYouMean(name, names)}`,
        );
    // One thread keeps the rows in the order of their files, which decides which one is the last.
    await run(
      `CREATE TABLE ${target} ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = ${GRANULE_ROWS} AS
       SELECT assumeNotNull(__key) AS k, assumeNotNull(argMax(__value, __place)) AS v
       FROM (SELECT ${text(key)} AS __key, ${text(value)} AS __value, rowNumberInAllBlocks() AS __place FROM (${select}))
       WHERE isNotNull(__key) AND isNotNull(__value) GROUP BY __key SETTINGS max_threads = 1`,
    );
    return target;
  } catch (error) {
    throw loadFailure(table, error);
  } finally {
    for (const each of copy ? [copy] : asides) await dropCopy(each, workshop);
  }
}

/** Forgets a copy that `fillStore` made. */
export async function dropStore(copy: string, workshop: Workshop): Promise<void> {
  await bound(workshop).run(`DROP TABLE IF EXISTS ${copy}`);
}

const bound = ({ engine: { statements } }: Workshop) => ({
  run: (sql: string) => statements.run(sql),
});
