// Runs a PostgreSQL in WebAssembly that has tables without rows, and answers questions about its
// catalog. It has only files in memory, no network, and one statement at a time.
import { existsSync, readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';

const { data, memoryBytes, answerBytes, role } = workerData;
const PAGE_BYTES = 65_536;

// A thread's limits do not include the memory of WebAssembly. PostgreSQL itself reports a lack of
// memory.
const { grow } = WebAssembly.Memory.prototype;
WebAssembly.Memory.prototype.grow = function growWithin(pages) {
  if (this.buffer.byteLength + pages * PAGE_BYTES > memoryBytes)
    throw new RangeError('the catalog may not take more memory');
  return grow.call(this, pages);
};

const made = existsSync(data) ? { loadDataDir: new Blob([readFileSync(data)]) } : {};
const postgres = await PGlite.create({
  ...made,
  startParams: [...PGlite.defaultStartParams, '-c', 'shared_buffers=4MB'],
});
await postgres.exec(
  `CREATE ROLE ${role}; GRANT ALL ON SCHEMA public TO ${role}; ALTER ROLE ${role} SET search_path = public`,
);

let tables = '';
let database = 'postgres';

/** Creates the caller's tables, after the tables of the caller before are dropped. */
async function bring(question) {
  if (question.tables !== tables) {
    tables = '';
    await postgres.exec(
      `DROP SCHEMA public CASCADE; CREATE SCHEMA public; GRANT ALL ON SCHEMA public TO ${role}; SET ROLE ${role}`,
    );
    try {
      await postgres.exec(question.tables);
    } finally {
      await postgres.exec('RESET ROLE');
    }
    tables = question.tables;
  }
  if (question.database === database) return;
  await postgres.query('UPDATE pg_database SET datname = $1 WHERE datname = current_database()', [
    question.database,
  ]);
  database = question.database;
}

/** The tables that a statement reads stay locked until its transaction ends. */
const READ_TABLES =
  "SELECT 1 FROM pg_locks l JOIN pg_class c ON c.oid = l.relation WHERE c.relnamespace = 'public'::regnamespace LIMIT 1";

async function answer(question) {
  await bring(question);
  await postgres.exec(`BEGIN READ ONLY; SET LOCAL ROLE ${role}`);
  const pieces = [];
  let bytes = 0;
  try {
    await postgres.execProtocolRawStream(question.messages, {
      onRawData: (piece) => {
        bytes += piece.length;
        if (bytes > answerBytes) {
          parentPort.postMessage({ id: question.id, failed: 'too-large' });
          throw new RangeError('the answer is too large');
        }
        pieces.push(Buffer.from(piece));
      },
    });
    const read = await postgres.query(READ_TABLES).catch(() => ({ rows: [] }));
    if (read.rows.length > 0) return { id: question.id, failed: 'reads-tables' };
  } finally {
    await postgres.exec('ROLLBACK');
  }
  return { id: question.id, bytes: Buffer.concat(pieces) };
}

let last = Promise.resolve();
parentPort.on('message', (question) => {
  last = last
    .then(() => answer(question))
    .then(
      (done) => parentPort.postMessage(done),
      (error) =>
        parentPort.postMessage({ id: question.id, failed: String(error?.message ?? error) }),
    );
});
parentPort.postMessage({ ready: true });
