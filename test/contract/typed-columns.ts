import { quoteIdentifier, quoteText, type Column } from '@app/warehouse';
import type { WarehouseUnderTest } from './warehouse.contract.js';

const STREAM_ID = '01T';
const TABLE = { database: 'o_contract', table: 'typed' };
const UTC = "DateTime64(6, 'UTC')";

/** Types of single values, each with its least and greatest value, and some between. */
const VALUES: readonly (readonly [type: string, values: readonly string[]])[] = [
  ['Int8', ['-128', '127']],
  ['UInt64', ['0', '18446744073709551615']],
  ['Float32', ['0.1', '-0']],
  ['Date32', ['1900-01-01', '1969-12-31', '2299-12-31']],
  [UTC, ['1900-01-01 00:00:00.000000', '2299-12-31 23:59:59.999999']],
  ['DateTime64(6)', ['1900-01-01 00:00:00.000000', '2299-12-31 23:59:59.999999']],
  ['DateTime64(9)', ['1900-01-01 00:00:00.000000000', '2262-04-11 23:47:16.854775807']],
  ['Decimal(5, 2)', ['-999.99', '0', '999.99']],
  ['Decimal(76, 38)', [`-${'9'.repeat(38)}.${'9'.repeat(38)}`]],
  ['Time64(3)', ['00:00:00.000', '23:59:59.999']],
  ['UUID', ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']],
];

/** Columns widen like this, and their values then read like this. */
const WIDENED: readonly (readonly [from: string, to: string, text: string, after: string])[] = [
  ['Int32', 'Int64', '-2147483648', '-2147483648'],
  ['UInt8', 'Decimal(7, 2)', '255', '255'],
  ['Float32', 'Float64', '0.1', '0.10000000149011612'],
  ['Decimal(5, 2)', 'Decimal(20, 5)', '-999.99', '-999.99'],
  ['Date32', UTC, '1900-01-01', '1900-01-01 00:00:00.000000'],
  ['Date32', 'DateTime64(6)', '2299-12-31', '2299-12-31 00:00:00.000000'],
  ['DateTime64(3)', 'DateTime64(6)', '1900-01-01 00:00:00.001', '1900-01-01 00:00:00.001000'],
  ['Time64(3)', 'Time64(6)', '23:59:59.999', '23:59:59.999000'],
];

/** Columns of the types that tables bring. */
export function describeTypes(open: () => WarehouseUnderTest): void {
  describe('columns of exact types', () => {
    let under: WarehouseUnderTest;
    beforeAll(async () => {
      under = open();
      await under.warehouse.createDatabase(TABLE.database);
    });
    beforeEach(() => under.warehouse.dropTable(TABLE));

    /** @param values SQL of each column's value in one row. */
    async function insert(columns: readonly Column[], values: readonly string[]): Promise<void> {
      const file = under.batchFile('typed.native');
      const names = columns.map(({ name }) => name);
      const row = values.map(
        (value, index) => `${value} AS ${quoteIdentifier(names[index] ?? '')}`,
      );
      await under.localEngine.run(
        `INSERT INTO FUNCTION file(${quoteText(file)}, Native) SELECT now64(6, 'UTC') AS _timestamp, ${row.join(', ')}`,
      );
      offset += 1n;
      await under.warehouse.insert({
        table: TABLE,
        streamId: STREAM_ID,
        columns: ['_timestamp', ...names],
        batches: [{ position: { partition: 31, offset }, file }],
      });
    }
    let offset = 0n;
    const cast = (text: string, type: string): string =>
      `CAST(${quoteText(text)}, ${quoteText(`Nullable(${type})`)})`;
    /** Text as the engine has it by itself, where times are ISO 8601. */
    const shown = (value: string): string =>
      `ifNull(replaceRegexpOne(replaceOne(toString(${value}), 'T', ' '), 'Z$', ''), 'null')`;
    const ask = (sql: string): Promise<string> =>
      under.warehouse.text({
        sql,
        database: TABLE.database,
        format: 'text',
      });

    it('keep their values, nulls and lists', async () => {
      const columns = VALUES.flatMap(([type], index) => [
        { name: `v${index}`, type: `Nullable(${type})` },
        { name: `l${index}`, type: `Array(Nullable(${type}))` },
      ]);
      await under.warehouse.createTable(TABLE, columns.slice(0, 3), STREAM_ID);
      await under.warehouse.addColumns(TABLE, columns.slice(3));
      expect((await under.warehouse.columns(TABLE)).slice(1)).toEqual(columns);
      const rows = VALUES.flatMap(([type, values]) => {
        const each = values.map((value) => cast(value, type));
        return [each[0] ?? 'NULL', `[${[...each, 'NULL'].join(', ')}]`];
      });
      await insert(columns, rows);
      await insert(
        columns,
        columns.map(({ type }) => `defaultValueOfTypeName(${quoteText(type)})`),
      );
      for (const [index, [, values]] of VALUES.entries()) {
        const list = `arrayMap(e -> ${shown('e')}, l${index})`;
        const answer = await ask(
          `SELECT toJSONString([${shown(`v${index}`)}]), toJSONString(${list}) FROM typed ORDER BY _offset`,
        );
        expect(answer).toBe(
          `["${values[0] ?? ''}"]\t${JSON.stringify([...values, 'null'])}\n["null"]\t[]\n`,
        );
      }
    });

    it.each(WIDENED)('widen, with an index on them (%s to %s)', async (from, to, text, after) => {
      const column = { name: 'v', type: `Nullable(${from})` };
      const list = { name: 'l', type: `Array(Nullable(${from}))` };
      await under.warehouse.createTable(TABLE, [column, list], STREAM_ID);
      const value = cast(text, from);
      await insert([column, list], [value, `[${value}, NULL]`]);
      await under.warehouse.setSkipIndexes(TABLE, ['v']);
      const wider = { name: 'v', type: `Nullable(${to})` };
      const widerList = { name: 'l', type: `Array(Nullable(${to}))` };
      for (const each of [[wider, widerList], [wider]])
        await under.warehouse.modifyColumns(TABLE, each);
      expect((await under.warehouse.columns(TABLE)).slice(1)).toEqual([wider, widerList]);
      // A batch from before goes in as it is.
      await insert([column, list], [value, `[${value}, NULL]`]);
      expect(
        await ask(
          `SELECT ${shown('v')}, ${shown('l[1]')}, length(l) FROM typed WHERE v = ${cast(after, to)}`,
        ),
      ).toBe(`${after}\t${after}\t2\n`.repeat(2));
      const [table] = (await under.warehouse.tables()).filter(
        (each) => each.database === TABLE.database && each.table === TABLE.table,
      );
      expect(table?.skipIndexes).toEqual(['v']);
      await under.warehouse.setSkipIndexes(TABLE, []);
    });
  });
}
