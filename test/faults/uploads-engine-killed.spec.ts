import { execFileSync } from 'node:child_process';
import { startServer, type Server } from '../server/start-server.js';
import { makeParquet } from '../server/make-parquet.js';
import { until } from '../server/until.js';
import { rounds, roundsMs } from '../rounds.js';

const KILLS = rounds(3, 60);
const UPLOADERS = 2;
const ROWS = 200_000;

describe(`the engine that reads tables is killed ${KILLS} times under uploads`, () => {
  let server: Server;
  let table: Buffer;
  beforeAll(async () => {
    server = await startServer();
    table = makeParquet(
      `SELECT number AS n, toString(cityHash64(number)) AS text FROM numbers(${ROWS})`,
    );
  });
  afterAll(() => server.stop());

  const enginePid = (): number | undefined => {
    try {
      const asked = ['-P', String(server.process.pid), '-f', 'serve-local-engine'];
      return Number(execFileSync('pgrep', asked).toString().trim().split('\n')[0]);
    } catch {
      return undefined;
    }
  };

  it(
    'stores each table that it has acknowledged once, and refuses others with a word that is so',
    async () => {
      let isRunning = true;
      let acknowledged = 0;
      const refused: string[] = [];
      const upload = async (): Promise<void> => {
        while (isRunning) {
          const { status, headers, bytes } = await server.client.call(
            '/api/default/tables/_parquet?wait=true',
            { body: table },
          );
          if (status === 200) acknowledged += 1;
          else if (status !== 503 || headers['retry-after'] === undefined)
            refused.push(`${status} ${bytes.toString()}`);
        }
      };
      const uploads = Array.from({ length: UPLOADERS }, upload);
      const killed = new Set<number>();
      while (killed.size < KILLS) {
        let pid = 0;
        await until(() => {
          pid = enginePid() ?? 0;
          return Promise.resolve(pid !== 0 && !killed.has(pid));
        });
        try {
          process.kill(pid, 'SIGKILL');
          killed.add(pid);
        } catch {
          // It has just ended by itself, because it had only one statement.
        }
      }
      isRunning = false;
      await Promise.all(uploads);
      // The service went on, and so does the next table.
      const last = await server.client.call('/api/default/tables/_parquet?wait=true', {
        body: table,
      });
      expect([last.status, last.bytes.toString()]).toEqual([200, expect.any(String)]);
      acknowledged += 1;
      const [counted] = await server.client.sql<{ rows: number; fewest: number; most: number }>(
        'SELECT sum(c) AS rows, min(c) AS fewest, max(c) AS most FROM (SELECT n, count() AS c FROM tables GROUP BY n)',
      );
      expect(counted).toEqual({
        rows: acknowledged * ROWS,
        fewest: acknowledged,
        most: acknowledged,
      });
      // A table counts as the cause if its statement ended the engine twice.
      expect(refused.filter((each) => !/^400 .*ended the engine/.test(each))).toEqual([]);
    },
    roundsMs(KILLS),
  );
});
