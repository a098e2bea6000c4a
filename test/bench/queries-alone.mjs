// The floor: the engine alone answers queries over a Parquet file, in the order given, after each other.
// Runs as a process of its own: `node queries-alone.mjs <directory> <statements as JSON> <rounds>`.
// Prints the best time of each statement, and the most memory the process had.
import { drainPending, Session } from 'chdb';

const [directory = '', statements = '[]', rounds = '1'] = process.argv.slice(2);
const session = new Session(directory, {
  connectionArgs: [
    '--session_timezone=UTC',
    '--date_time_output_format=iso',
    '--output_format_json_quote_64bit_integers=0',
    '--output_format_json_array_of_rows=1',
  ],
});
const seconds = [];
for (const sql of JSON.parse(statements)) {
  let best = Infinity;
  for (let round = 0; round < Number(rounds); round += 1) {
    const started = performance.now();
    for await (const chunk of session.queryStream(sql, { format: 'JSONEachRow' })) chunk.raw();
    best = Math.min(best, (performance.now() - started) / 1000);
  }
  seconds.push(best);
}
session.close();
await drainPending();
console.log(JSON.stringify({ seconds, memoryBytes: process.resourceUsage().maxRSS * 1024 }));
