import type { SourceEngine } from '@app/warehouse';
import { SourceError } from '../../sources/source-error.js';
import type { Source } from '../../sources/source.js';

const MODE = 'delta.columnMapping.mode';

/**
 * Refuses a Delta table whose columns are found by their numbers in its files. The engine looks for
 * their names, and reads nulls where a file has others. A table has this mode from its first commit
 * or never, so it is enough to look once.
 * @throws {SourceError}
 */
export async function refuseNumbered(
  { deltaLog }: Pick<Source, 'deltaLog'>,
  statements: SourceEngine['statements'],
): Promise<void> {
  if (!deltaLog) return;
  const newest = async (mode: string, call: string, condition: string): Promise<string | undefined> => {
    const sql = `SELECT ${mode} FROM ${call} WHERE ${condition} ORDER BY _file DESC LIMIT 1 FORMAT JSONCompactEachRow`;
    const row = await statements.run(sql);
    return row === '' ? undefined : (JSON.parse(row) as readonly [string])[0];
  }; // prettier-ignore
  const structure =
    'metaData Tuple(id Nullable(String), configuration Map(String, Nullable(String)))';
  const ofCheckpoint = await newest(
    `ifNull(metaData.configuration['${MODE}'], '')`,
    deltaLog('*.checkpoint*.parquet', 'Parquet', structure),
    'isNotNull(metaData.id)',
    // There may be none.
  ).catch(() => undefined);
  const mode =
    ofCheckpoint ??
    (await newest(
      `JSONExtractString(line, 'metaData', 'configuration', '${MODE}')`,
      deltaLog('*.json', 'LineAsString', 'line String'),
      "JSONHas(line, 'metaData')",
    ));
  if (mode === 'id')
    throw new SourceError(
      `its ${MODE} is "id", and columns are found by their names here: write the table anew with mode "name", or upload it to the hosted service, which reads it`,
    );
}
