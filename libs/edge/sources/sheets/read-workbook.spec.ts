import { jest } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { utils, write, type CellObject, type WorkBook } from '@e965/xlsx';
import { readWorkbook, type SheetOptions } from './read-workbook.js';

const DAY = 'yyyy\\-mm\\-dd';
const day = (v: number, z = DAY): CellObject => ({ t: 'n', v, z });

describe('sheets of workbooks', () => {
  const folder = mkdtempSync(join(tmpdir(), 'workbook-'));
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const read = async (
    columns: Readonly<Record<string, readonly unknown[]>>,
    { is1904 = false, ...options }: Partial<SheetOptions> & { readonly is1904?: boolean } = {},
  ) => {
    const names = Object.keys(columns);
    const height = Math.max(...Object.values(columns).map(({ length }) => length));
    const rows = Array.from({ length: height }, (_, at) =>
      names.map((name) => columns[name]?.[at]),
    );
    const book: WorkBook = utils.book_new();
    utils.book_append_sheet(book, utils.aoa_to_sheet([names, ...rows]), 'Sheet1');
    book.Workbook = { WBProps: { date1904: is1904 } };
    const path = join(folder, 't.xlsx');
    writeFileSync(path, write(book, { type: 'buffer', bookType: 'xlsx' }) as Buffer);
    const target = join(folder, 't.jsonl');
    const found = await readWorkbook(path, { ...options, format: 'xlsx' }, target);
    const lines = readFileSync(target, 'utf8').trimEnd().split('\n');
    return {
      types: found.map(({ type }) => type),
      rows: lines.map((line) => JSON.parse(line) as unknown[]),
    };
  };

  it('have rows without a cell between others', async () => {
    expect((await read({ a: [1, undefined, 3] })).rows).toEqual([[1], [null], [3]]);
  });

  it('have the days that they show, from 1900 on and from 1904 on', async () => {
    const numbers = [day(1), day(59), day(61), day(43832), day(43832.5)];
    expect((await read({ a: numbers })).rows.flat()).toEqual([
      '1900-01-01 00:00:00.000',
      '1900-02-28 00:00:00.000',
      '1900-03-01 00:00:00.000',
      '2020-01-02 00:00:00.000',
      '2020-01-02 12:00:00.000',
    ]);
    expect((await read({ a: [day(43832 - 1462), day(0)] }, { is1904: true })).rows.flat()).toEqual([
      '2020-01-02 00:00:00.000',
      '1904-01-01 00:00:00.000',
    ]);
    // A day that does not exist in a calendar is shown as it stands there.
    const { types, rows } = await read({ a: [day(60), day(61)] });
    expect([types, rows.flat()]).toEqual([['Nullable(String)'], ['1900-02-29', '1900-03-01']]);
  });

  it('have all digits of numbers, and whole times, in columns of texts', async () => {
    const { rows } = await read({
      a: ['x', { t: 'n', v: 1234.5678, z: '0.00' }, 1234567.891234, day(43832, 'mm/yy'), day(43832.25, 'd.m.'), true], // prettier-ignore
    });
    expect(rows.flat()).toEqual([
      'x',
      '1234.5678',
      '1234567.891234',
      '2020-01-02',
      '2020-01-02 06:00:00',
      'TRUE',
    ]);
  });

  it.each([
    [[1, 1.5], '1.5'],
    [[1, 'x'], 'x'],
    [[true, 'x'], 'x'],
    [[day(43832), 'x'], 'x'],
  ])('refuse what is not of the type that the first rows say: %j', async (values, shown) => {
    await expect(read({ a: values }, { inferenceRows: 1 })).rejects.toThrow(
      `column "a" has "${shown}" in row 2 below its name`,
    );
    expect((await read({ a: values })).rows).toHaveLength(2);
  });

  it('are read without a line about formats that the library does not know', async () => {
    const file = join(import.meta.dirname, '../../../../test/fixtures/roapi/excel_range.ods');
    const written = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    try {
      await readWorkbook(file, { format: 'ods' }, join(folder, 'ods.jsonl'));
      expect(written).not.toHaveBeenCalled();
    } finally {
      written.mockRestore();
    }
  });
});
