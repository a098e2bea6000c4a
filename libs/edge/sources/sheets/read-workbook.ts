import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CellObject, WorkSheet } from '@e965/xlsx';
import { namedByHeader, type Column } from '@app/warehouse';
import { SourceError } from '../source-error.js';
import type { TableOptions } from '../../table-description.js';
import { cellKind, cellValue, columnType, type Calendar, type Kind } from './sheet-cell.js';

/** The library's types leave out its number formats. */
type Library = Pick<typeof import('@e965/xlsx'), 'read' | 'utils'> & {
  readonly SSF: { readonly is_date: (format: string) => boolean };
};

export type SheetOptions = Extract<
  TableOptions,
  { readonly format: 'xls' | 'xlsx' | 'xlsb' | 'ods' }
>;

/**
 * Reads a range of a sheet, whose first row names the columns, and writes its rows to a file, one
 * JSON array a line.
 * @returns the columns, by what all cells below their name are.
 * @throws {Error} when there is no such sheet, or no row of names.
 */
export async function readWorkbook(
  path: string,
  options: SheetOptions,
  file: string,
): Promise<readonly Column[]> {
  const { read, SSF, utils } = (await import('@e965/xlsx')) as Library;
  const bytes = await readFile(path);
  if (!MAGIC.some((start) => bytes.subarray(0, start.length).equals(start)))
    throw new SourceError('it is no workbook, by its first bytes');
  const workbook = whole(() => read(bytes, { dense: true, cellNF: true, cellHTML: false }));
  const { sheetName: name = workbook.SheetNames[0] } = options;
  if (name === undefined) throw new SourceError('there is no sheet in it');
  const sheet = workbook.Sheets[name];
  if (!sheet)
    throw new SourceError(
      `there is no sheet ${JSON.stringify(name)}; there are ${workbook.SheetNames.join(', ')}`,
    );
  const rows = cellsOf(sheet, options, utils.decode_range(sheet['!ref'] ?? 'A1'));
  const [header = [], ...body] = rows;
  const names = columnNames(header);
  if (names.length === 0)
    throw new SourceError(`sheet ${JSON.stringify(name)} has no row of names in its range`);
  const is1904 = workbook.Workbook?.WBProps?.date1904 ?? false;
  const calendar = { isDate: SSF.is_date, is1904 };
  const seen = body.slice(0, options.inferenceRows);
  const kinds = names.map(
    (_, index): ReadonlySet<Kind> => new Set(seen.map((row) => cellKind(row[index], calendar))),
  );
  const columns = names.map((column, index) => ({ name: column, type: columnType(kinds[index]) }));
  await pipeline(Readable.from(lines(body, columns, calendar)), createWriteStream(file));
  return columns;
}

/**
 * The first bytes of workbooks: those of ZIP files, and those of the older format. The library
 * would read any other file as text.
 */
const MAGIC = [Buffer.from('PK'), Buffer.from('d0cf11e0', 'hex')];

/**
 * The library's messages about damaged files describe the library itself. It also writes lines about
 * formats of numbers that it does not know, which nobody can act upon.
 */
function whole<Workbook>(read: () => Workbook): Workbook {
  const { error: write } = console;
  console.error = () => undefined;
  try {
    return read();
  } catch (error) {
    throw new SourceError('it is no workbook, or a damaged one', { cause: error });
  } finally {
    console.error = write;
  }
}

/**
 * @throws {SourceError} for a cell below the rows that decided the types, if its column's type does
 *   not hold it
 */
function* lines(
  rows: readonly Row[],
  columns: readonly Column[],
  calendar: Calendar,
): Generator<string> {
  for (const [at, row] of rows.entries()) {
    const values = columns.map(({ name, type }, index) => {
      const value = cellValue(row[index], type, calendar);
      if (value === undefined)
        throw new SourceError(
          `column ${JSON.stringify(name)} has ${JSON.stringify(row[index]?.w ?? row[index]?.v)} in row ${at + 1} below its name, which its type, ${type}, does not hold: raise schema_inference_lines`,
        );
      return value;
    });
    yield `${JSON.stringify(values)}\n`;
  }
}

type Row = readonly (CellObject | undefined)[];
interface Range {
  readonly s: { readonly r: number; readonly c: number };
  readonly e: { readonly r: number; readonly c: number };
}

function cellsOf(sheet: WorkSheet, options: SheetOptions, { s, e }: Range): readonly Row[] {
  const data = (sheet as { readonly '!data'?: readonly Row[] })['!data'] ?? [];
  const firstColumn = options.columnsStart ?? s.c;
  const lastColumn = Math.min(options.columnsEnd ?? e.c, e.c);
  return (
    // Rows without any cell are holes in the library's list, which `map` would leave as they are.
    Array.from(
      data.slice(options.rowsStart ?? s.r, Math.min(options.rowsEnd ?? e.r, e.r) + 1),
      (row: Row | undefined) => (row ?? []).slice(firstColumn, lastColumn + 1),
    )
  );
}

/** Blanks become `_`, as ROAPI has it. */
const columnNames = (header: Row): readonly string[] =>
  namedByHeader(
    Array.from(header, (cell) =>
      String(cell?.w ?? cell?.v ?? '')
        .trim()
        .replace(/\s/g, '_'),
    ),
  );
