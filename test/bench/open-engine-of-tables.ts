import type { Client } from '../server/client.js';

/** Uploads a Parquet file of one row: the first one opens the engine that reads tables, which takes its memory once. */
export async function openEngineOfTables(client: Client, stream: string): Promise<void> {
  const file = await client.call('/api/default/sql', {
    body: 'SELECT toInt64(1) AS a',
    headers: { accept: 'application/parquet' },
  });
  const answer = await client.call(`/api/default/${stream}/_parquet?wait=true`, {
    body: file.bytes,
  });
  if (answer.status !== 200)
    throw new Error(`parquet: ${answer.status} ${answer.bytes.toString()}`);
}
