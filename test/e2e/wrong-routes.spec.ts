import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { compress } from '@cloudpss/zstd/napi';
import { utils, write } from '@e965/xlsx';
import { tableFromArrays, tableToIPC } from 'apache-arrow';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';
import { tar, zip } from '../server/archive.js';
import { writeTable } from '../server/make-parquet.js';

const ROUTES = ['_json', '_csv', '_parquet', '_arrow', '_delta_lake'] as const;
type Route = (typeof ROUTES)[number];

const SHEETS = join(import.meta.dirname, '../fixtures/roapi');
const CSV = Buffer.from('ORCID,PAR1\n1,2\n');
const JSON_ROWS = Buffer.from('[{"a":1}]');

/** People send the file that they have to the route that they know: the answer says where to. */
describe('a file on the wrong route', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-wrong-routes-'));
  const made = new Map<string, Buffer>();
  let server: BorrowedServer;

  beforeAll(async () => {
    server = await borrowServer();
    for (const format of ['Parquet', 'Avro', 'ORC'] as const) {
      writeTable('SELECT toInt64(1) AS a', join(folder, format), format);
      made.set(format, readFileSync(join(folder, format)));
    }
    const table = tableFromArrays({ a: [1] });
    made.set('Arrow', Buffer.from(tableToIPC(table, 'file')));
    made.set('Arrow stream', Buffer.from(tableToIPC(table, 'stream')));
    made.set('xlsx', readFileSync(join(SHEETS, 'uk_cities_with_headers.xlsx')));
    made.set('ods', readFileSync(join(SHEETS, 'excel_range.ods')));
    const workbook = utils.book_new();
    utils.book_append_sheet(workbook, utils.aoa_to_sheet([['a'], [1]]), 's');
    made.set('xls', write(workbook, { type: 'buffer', bookType: 'biff8' }) as Buffer);
    made.set('tar', await tar(new Map([['a.txt', Buffer.from('x')]])));
    made.set('zip', await zip(new Map([['a.txt', Buffer.from('x')]])));
    made.set('gzip', gzipSync(JSON_ROWS));
    made.set('zstd', Buffer.from(compress(JSON_ROWS)));
    made.set('UTF-16', Buffer.from('\ufeffa,b\n1,2\n', 'utf16le'));
    made.set('JSON', JSON_ROWS);
    made.set('CSV', CSV);
  });
  afterAll(async () => {
    await server.giveBack();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each<[string, readonly Route[], string]>([
    ['Parquet', ['_parquet'], 'a Parquet file, which ROUTE does not take; send it to _parquet'],
    [
      'Arrow',
      ['_arrow'],
      'a file of Arrow (Feather), which ROUTE does not take; send it to _arrow',
    ],
    ['Arrow stream', ['_arrow'], 'a stream of Arrow, which ROUTE does not take; send it to _arrow'],
    [
      'xlsx',
      [],
      'a workbook (Excel or OpenDocument), which ROUTE does not take; save its sheet as CSV',
    ],
    [
      'ods',
      [],
      'a workbook (Excel or OpenDocument), which ROUTE does not take; save its sheet as CSV',
    ],
    ['xls', [], 'an old workbook (.xls), which ROUTE does not take; save its sheet as CSV'],
    ['Avro', [], 'an Avro file, which ROUTE does not take; write it as Parquet'],
    ['ORC', [], 'an ORC file, which ROUTE does not take; write it as Parquet'],
    ['tar', ['_delta_lake'], 'a tar archive, which ROUTE does not take; unpack it first'],
    ['zip', ['_delta_lake'], 'a zip archive, which ROUTE does not take; unpack it first'],
    ['gzip', ['_delta_lake'], 'compressed by gzip; say so by the header Content-Encoding: gzip'],
    ['zstd', [], 'compressed by zstd; say so by the header Content-Encoding: zstd'],
    ['UTF-16', ['_delta_lake'], 'text in UTF-16; write it in UTF-8'],
    [
      'JSON',
      ['_json', '_csv', '_delta_lake'],
      'text, which ROUTE does not take; send JSON to _json',
    ],
    ['CSV', ['_csv', '_json', '_delta_lake'], 'text, which ROUTE does not take; send CSV to _csv'],
  ])('%s is told what it is, and where to go', async (format, taking, message) => {
    for (const route of ROUTES.filter((each) => !taking.includes(each))) {
      const answer = await server.client.call(`wrong/${route}`, { body: made.get(format) ?? '' });
      const said = answer.json<{ code: number; message: string }>();
      const wanted = `the body is ${message.replace('ROUTE', route)}`;
      expect([answer.status, said.message]).toEqual([400, expect.stringContaining(wanted)]);
    }
    expect((await server.client.call('wrong/schema')).status).toBe(404);
  });

  it.each<[string, Route, string | undefined]>([
    ['Parquet', '_parquet', undefined],
    ['Arrow', '_arrow', undefined],
    ['Arrow stream', '_arrow', undefined],
    ['gzip', '_json', 'gzip'],
    ['zstd', '_json', 'zstd'],
    ['CSV', '_csv', undefined],
    ['JSON', '_json', undefined],
  ])('%s is taken where it was told to go', async (format, route, encoding) => {
    const answer = await server.client.call(`right_${format.replace(' ', '_')}/${route}`, {
      body: made.get(format) ?? '',
      headers: encoding === undefined ? {} : { 'content-encoding': encoding },
    });
    expect([answer.status, answer.bytes.toString()]).toEqual([
      200,
      expect.stringContaining('"successful":1,"failed":0'),
    ]);
  });
});
