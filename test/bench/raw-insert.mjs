// The floor: the engine alone inserts a file into a table like the stream's, and says how long it took.
// Runs as a process of its own: `node raw-insert.mjs <directory> <file> <create-table statement> <columns> <format>`.
import { Session } from 'chdb';

const [directory = '', file = '', create = '', structure = '', format = ''] = process.argv.slice(2);
const session = new Session(directory);
const run = async (sql) => (await session.queryAsync(sql, { format: 'TSV' })).text().trim();

await run('CREATE DATABASE IF NOT EXISTS raw');
await run(create);
const columns = structure
  .split(', ')
  .map((column) => column.split(' ', 1)[0] ?? '')
  .filter((name) => name !== '_timestamp');
const started = performance.now();
await run(
  `INSERT INTO raw.t SELECT fromUnixTimestamp64Milli(_timestamp, 'UTC') AS _timestamp, ${columns.join(', ')} FROM file('${file}', ${format}, '${structure}')`,
);
const seconds = (performance.now() - started) / 1000;
const rows = Number(await run('SELECT count() FROM raw.t'));
session.close();
console.log(JSON.stringify({ seconds, rows }));
