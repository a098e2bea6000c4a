// Loaded into a server that is measured (node --import): runs statements on the server's own
// engine, in the server's process, and tells what they took. Its port goes into a file.
// POST {"sql", "rounds", "sessions"} → {"times": [ms …]}; POST {"sql", "stream": true} → {"ms", "bytes"}
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { isMainThread } from 'node:worker_threads';
import { Session } from 'chdb';

const { BENCH_PORT_FILE, MILLRACE_DATA_DIR } = process.env;
const FORMAT = { format: 'JSONEachRow' };

async function openSessions(count) {
  const { readSettings } = await import('../../dist/libs/warehouse/sql/read-settings.js');
  const limits = {
    timeoutSeconds: 60,
    memoryBytes: 2 ** 31,
    readRows: 1e10,
    readBytes: 1e12,
    resultRows: 1e7,
    resultBytes: 2 ** 32,
  };
  const settings = { ...readSettings(limits), output_format_json_array_of_rows: 1 };
  const args = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  const path = join(MILLRACE_DATA_DIR, 'warehouse/store');
  const sessions = Array.from({ length: count }, () => new Session(path, { connectionArgs: args }));
  const found = await sessions[0].queryAsync(
    "SELECT database FROM system.tables WHERE name = 'access'",
    { format: 'TSVRaw' },
  );
  for (const session of sessions) await session.queryAsync(`USE ${found.text().trim()}`);
  return sessions;
}

async function times({ sql, rounds, sessions: count }) {
  const sessions = await openSessions(count);
  const taken = [];
  let left = rounds;
  await Promise.all(
    sessions.map(async (session) => {
      while (left-- > 0) {
        const started = performance.now();
        (await session.queryAsync(sql, FORMAT)).text();
        taken.push(performance.now() - started);
      }
    }),
  );
  for (const session of sessions) session.close();
  return { times: taken };
}

/** All blocks as the engine formats them, looked at by nobody, and freed at once as the server frees them. */
async function stream({ sql }) {
  const { letGo } = await import('../../dist/libs/warehouse/let-go.js');
  const [session] = await openSessions(1);
  const started = performance.now();
  let bytes = 0;
  for await (const chunk of session.queryStream(sql, FORMAT)) {
    const block = chunk.raw();
    bytes += block.byteLength;
    letGo(block);
  }
  const ms = performance.now() - started;
  session.close();
  return { ms, bytes };
}

if (isMainThread && BENCH_PORT_FILE) {
  const server = createServer((request, response) => {
    json(request)
      .then((asked) => (asked.stream ? stream(asked) : times(asked)))
      .then((told) => response.end(JSON.stringify(told)))
      .catch((error) => response.writeHead(500).end(String(error)));
  });
  server.listen(0, '127.0.0.1', () =>
    writeFileSync(BENCH_PORT_FILE, String(server.address().port)),
  );
  server.unref();
}
