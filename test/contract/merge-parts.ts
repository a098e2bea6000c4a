import { quoteIdentifier, type TableName } from '@app/warehouse';
import type { EngineProcess } from '../../libs/warehouse/engine/engine-process.js';

/** Merges all parts of a table: no port of ours asks for that. */
export async function mergeParts(
  engine: EngineProcess,
  { database, table }: TableName,
): Promise<void> {
  const { origin, path } = await engine.ready(5000);
  const { username, password } = engine.users.admin;
  const answer = await fetch(`${origin}${path}`, {
    method: 'POST',
    body: `OPTIMIZE TABLE ${quoteIdentifier(database)}.${quoteIdentifier(table)} FINAL`,
    headers: { 'X-ClickHouse-User': username, 'X-ClickHouse-Key': password },
  });
  expect([answer.status, await answer.text()]).toEqual([200, '']);
}
