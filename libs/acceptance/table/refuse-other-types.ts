import { MillraceError } from '@app/platform';
import { readValueType } from '@app/streams';
import type { LocalEngine } from '@app/warehouse';
import { columnOf, type StoredField } from './sql/judge-rows.sql.js';

/**
 * A cast of one number to another changes values silently where the engine reads another type than
 * the file says, or where one data file has another type than the one before. So the types of the
 * rows are compared for each data file before its rows are read.
 * @param rows SQL that selects them
 * @throws {MillraceError} MALFORMED_BODY
 */
export async function refuseOtherTypes(
  engine: LocalEngine,
  rows: string,
  fields: readonly StoredField[],
): Promise<void> {
  const answer = await engine.run(`DESCRIBE (${rows}) SETTINGS ${NULL_STRUCTS}`);
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

/** Rows are read with this setting, because a struct may be null. */
const NULL_STRUCTS = 'allow_experimental_nullable_tuple_type = 1';

/** The numeric types in which values of a kind are spooled; undefined: they are no numbers. */
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
    // The type has 128 bits because the file has the nanoseconds of a Julian day.
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
