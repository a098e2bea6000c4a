import { tar } from './archive.js';

/** A Delta table of one Parquet file, as a tar. @param types of its columns, as Delta names them */
export function deltaArchive(
  parquet: Buffer,
  types: Readonly<Record<string, string>>,
): Promise<Buffer> {
  const fields = Object.entries(types).map(([name, type]) => ({
    name,
    type,
    nullable: true,
    metadata: {},
  }));
  const schemaString = JSON.stringify({ type: 'struct', fields });
  const file = { path: 'p.parquet', partitionValues: {}, size: parquet.length };
  const log = [
    { protocol: { minReaderVersion: 1, minWriterVersion: 2 } },
    { metaData: { id: 'd', schemaString, partitionColumns: [], configuration: {} } },
    { add: { ...file, modificationTime: 0, dataChange: true } },
  ].map((line) => JSON.stringify(line));
  return tar(
    new Map<string, Buffer | string>([
      ['_delta_log/00000000000000000000.json', log.join('\n')],
      ['p.parquet', parquet],
    ]),
  );
}
