import { MillraceError } from '@app/platform';
import { readValueType } from '@app/streams';
import { quoteText, type LocalEngine } from '@app/warehouse';
import { columnOf, type StoredField } from './judge-rows.sql.js';
import type { RowChunk } from './spool-rows.js';

/**
 * A cast of one number to another changes values silently where the engine has read another type
 * than the file says, so what the rows are is looked at before.
 * @throws {MillraceError} MALFORMED_BODY
 */
export async function refuseOtherTypes(
  engine: LocalEngine,
  { file }: RowChunk,
  fields: readonly StoredField[],
): Promise<void> {
  const answer = await engine.run(`DESCRIBE file(${quoteText(file)}, Native)`);
  const types = new Map(answer.split('\n').map((line) => line.split('\t', 2) as [string, string]));
  for (const [index, { name, kind }] of fields.entries()) {
    const wanted = numbersOf(kind);
    const type = bare(types.get(columnOf(index)) ?? 'nothing');
    if (wanted && !wanted.includes(type))
      throw new MillraceError(
        'MALFORMED_BODY',
        `column ${JSON.stringify(name)} should be ${bare(kind)} by what the file says of itself, and is ${type}`,
      );
  }
}

/** Types of numbers in which values of a kind are spooled; undefined: they are no numbers. */
function numbersOf(kind: string): readonly string[] | undefined {
  if (kind === 'Micros') return ['Int64'];
  const type = readValueType(bare(kind));
  switch (type?.family) {
    case 'integer':
    case 'float':
    case 'decimal':
      return [bare(kind)];
    case 'date':
      return ['Int32'];
    // Of 128 bits where the file has nanoseconds of a Julian day.
    case 'timestamp':
      return ['Int64', 'Int128'];
    case 'time':
      return ['Int64'];
    default:
      return undefined;
  }
}

const bare = (type: string): string =>
  ['Array', 'LowCardinality', 'Nullable'].reduce(
    (rest, outer) => (rest.startsWith(`${outer}(`) ? rest.slice(outer.length + 1, -1) : rest),
    type,
  );
