import { MillraceError } from '@app/platform';
import { readParquetFooter, type DataFile, type TableSource } from '@app/acceptance';
import { openArrow } from '@app/arrow';

/** Messages use this name for a body that is one file. */
const NAME = 'the body';
const NO_CONSTANTS = new Map<string, string>();

/** @throws {MillraceError} MALFORMED_BODY */
export async function parquetTable(file: string): Promise<TableSource> {
  const { fields, rows, objects } = await readParquetFooter(file, NAME);
  const names = new Set<string>();
  for (const { name } of fields) {
    if (names.has(name))
      throw new MillraceError('MALFORMED_BODY', `${NAME} has two columns ${JSON.stringify(name)}`);
    names.add(name);
  }
  return {
    fields: fields.map(({ name, type }) => ({ name, type })),
    // A footer may say that there are no rows where there are some, which is noticed when they are read.
    files: [named({ file, format: 'Parquet', held: fields, rows, objects })],
  };
}

/** @throws {MillraceError} MALFORMED_BODY */
export async function arrowTable(file: string): Promise<TableSource> {
  const { fields, ...held } = await openArrow(file, NAME);
  return { fields, files: oneFile({ file, objects: [], ...held }) };
}

type Unnamed = Omit<DataFile, 'name' | 'constants'>;

const named = (file: Unnamed): DataFile => ({ ...file, name: NAME, constants: NO_CONSTANTS });

const oneFile = (file: Unnamed): readonly DataFile[] => (file.rows === 0 ? [] : [named(file)]);
