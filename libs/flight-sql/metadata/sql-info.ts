import type { DataType, Field as ArrowField } from 'apache-arrow';
import { certain } from '@app/platform';
import type { SqlInfoValue } from './sql-info-values.js';
import { batchOf, writeBatch } from './write-rows.js';

/** Places of the kinds of values in the union. */
const KINDS = { string: 0, boolean: 1, bigint: 2, number: 3 } as const;
const UNION_KINDS = 6;

/**
 * The answer to `GetSqlInfo` in Arrow's streaming format: numbers, and a dense union of values.
 * @param asked the numbers that are wanted; none: everything. Unknown numbers are left out.
 */
export async function writeSqlInfo(
  known: ReadonlyMap<number, SqlInfoValue>,
  asked: readonly number[],
): Promise<Buffer> {
  const arrow = await import('apache-arrow');
  const wanted = new Set(asked);
  const rows = [...known].filter(([number]) => wanted.size === 0 || wanted.has(number));
  const { children, union } = await unionType();
  const values = rows.map(([, value]) => value);
  const ofKind: SqlInfoValue[][] = Array.from({ length: UNION_KINDS }, () => []);
  const typeIds = Int8Array.from(values, (value) => KINDS[typeof value as keyof typeof KINDS]);
  const valueOffsets = Int32Array.from(
    values,
    (value, at) => certain(ofKind[certain(typeIds[at], 'kind of a value')], 'list of a kind').push(value) - 1, // prettier-ignore
  );
  const data = arrow.makeData({
    ...{ type: union, length: rows.length, nullCount: 0, typeIds, valueOffsets },
    children: children.flatMap(({ type }, kind) => arrow.vectorFromArray<DataType>(certain(ofKind[kind], 'list of a kind'), type).data), // prettier-ignore
  });
  const numbers = arrow.vectorFromArray(rows.map(([number]) => number), new arrow.Uint32()).data[0]; // prettier-ignore
  const fields = [
    new arrow.Field<DataType>('info_name', new arrow.Uint32(), false),
    new arrow.Field<DataType>('value', union, false),
  ];
  return writeBatch(await batchOf(fields, [numbers, data], rows.length));
}

/** The kinds of values that the definition has, in its order. */
async function unionType() {
  const { Bool, DenseUnion, Field, Int32, Int64, List, Map_, Struct, Utf8 } = await import('apache-arrow'); // prettier-ignore
  const numbers = new List(new Field('item', new Int32(), true));
  const entries = new Struct<{ key: InstanceType<typeof Int32>; value: typeof numbers }>([
    new Field('key', new Int32(), false),
    new Field('value', numbers, true),
  ]);
  const children: readonly ArrowField<DataType>[] = [
    new Field('string_value', new Utf8(), true),
    new Field('bool_value', new Bool(), true),
    new Field('bigint_value', new Int64(), true),
    new Field('int32_bitmask', new Int32(), true),
    new Field('string_list', new List(new Field('item', new Utf8(), true)), true),
    new Field('int32_to_int32_list_map', new Map_(new Field('entries', entries, false)), true),
  ];
  return { children, union: new DenseUnion([...children.keys()], [...children]) };
}
