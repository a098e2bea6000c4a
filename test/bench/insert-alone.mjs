// The floor: the engine alone inserts what a SELECT gives into a table like the stream's, and says how long it took.
// Runs as a process of its own: `node insert-alone.mjs <directory> <create-table statement of raw.t> <select> [<question>]`;
// the answer to the question, a SELECT of one value from raw.t, is said too.
import { Session } from 'chdb';

const [directory = '', create = '', select = '', question = 'SELECT 0'] = process.argv.slice(2);
const session = new Session(directory);
const run = async (sql) => (await session.queryAsync(sql, { format: 'TSV' })).text().trim();

await run('CREATE DATABASE IF NOT EXISTS raw');
await run(create);
const used = process.cpuUsage();
const started = performance.now();
await run(`INSERT INTO raw.t ${select}`);
const seconds = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage(used);
const rows = Number(await run('SELECT count() FROM raw.t'));
const answer = await run(question);
session.close();
console.log(JSON.stringify({ seconds, processor: (user + system) / 1e6, rows, answer }));
