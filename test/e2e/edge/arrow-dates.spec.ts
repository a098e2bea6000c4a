import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DateDay,
  DateMillisecond,
  Field,
  Int32,
  List,
  tableFromArrays,
  Table,
  tableToIPC,
  TimestampSecond,
  vectorFromArray,
  type DataType,
} from 'apache-arrow';
import { ROAPI_FIXTURES, startEdge, type Edge } from '../../server/start-edge.js';

/** JavaScript's library writes dates so by itself; the engine keeps 32 bits of their seconds. */
describe('dates of Arrow', () => {
  const folder = mkdtempSync(join(tmpdir(), 'edge-arrow-dates-'));
  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge(['-t', `c=${join(ROAPI_FIXTURES, 'uk_cities_with_headers.csv')}`]);
  });
  afterAll(async () => {
    await edge.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const born = new Date('1965-05-05');
  const write = (type: DataType, values: unknown[], form: 'file' | 'stream'): string => {
    const path = join(folder, `dates-${form}-${type.typeId}`);
    const table = new Table({ d: vectorFromArray(values, type) });
    writeFileSync(path, tableToIPC(table, form));
    return `${path},format=${form === 'file' ? 'arrow' : 'arrows'}`;
  };
  const register = (uri: string) => edge.post('/api/table', [{ tableName: 't', uri }]);

  it.each([
    ['file', ''],
    ['stream', ''],
    ['file', ',schema={"columns":[{"name":"d","data_type":"Date64","nullable":true}]}'],
  ] as const)('of 64 bits are refused in a %s%s, for 1965 would be 2101', async (form, more) => {
    const list = new List(new Field('item', new DateMillisecond(), true));
    for (const uri of [
      write(new DateMillisecond(), [born, null], form),
      ...(more === '' ? [write(list, [[born], []], form)] : []),
    ]) {
      const { status, text } = await register(uri + more);
      expect([status, text]).toEqual([
        400,
        expect.stringContaining('column \\"d\\" has Arrow\'s dates of 64 bits') as string,
      ]);
    }
  });

  it('of 64 bits may be in a file whose schema leaves them out, and files may come later', async () => {
    const schema = ',schema={"columns":[{"name":"n","data_type":"Int32","nullable":true}]}';
    const both = new Table({
      n: vectorFromArray([1], new Int32()),
      d: vectorFromArray([born], new DateMillisecond()),
    });
    writeFileSync(join(folder, 'both.arrow'), tableToIPC(both, 'file'));
    expect((await register(join(folder, 'both.arrow') + schema)).status).toBe(200);
    expect(JSON.parse((await edge.sql('SELECT * FROM t')).text)).toEqual([{ n: 1 }]);
    const none = `${join(folder, 'none-*.arrow')},format=arrow${schema}`;
    expect((await register(none)).status).toBe(200);
    expect(JSON.parse((await edge.sql('SELECT * FROM t')).text)).toEqual([]);
  });

  it('of 32 bits, and times in seconds, are what they are', async () => {
    const table = tableFromArrays({ n: Int32Array.from([1]) });
    const path = join(folder, 'others.arrow');
    const others = new Table({
      n: table.getChild('n') ?? vectorFromArray([]),
      day: vectorFromArray([born], new DateDay()),
      at: vectorFromArray([born], new TimestampSecond()),
    });
    writeFileSync(path, tableToIPC(others, 'file'));
    expect((await register(path)).status).toBe(200);
    expect(JSON.parse((await edge.sql('SELECT day, at FROM t')).text)).toEqual([
      { day: '1965-05-05', at: '1965-05-05T00:00:00' },
    ]);
  });
});
