import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { rounds } from '../rounds.js';
import { startServer, type Server } from '../server/start-server.js';

const ROUNDS = rounds(4, 40);
const TIMEOUT_MS = ROUNDS * 30_000;
/** The process is killed so long after a change was sent, which takes about as long. */
const WITHIN_MS = [2, 10, 30, 60, 5, 20, 45, 15];

interface Described {
  readonly settings: {
    readonly data_retention: number;
    readonly partition_keys: readonly string[];
  };
  readonly schema: readonly { readonly name: string }[];
}

describe('settings that are put while the server is killed', () => {
  let dataDirectory: string;
  let server: Server;
  beforeAll(async () => {
    dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-settings-'));
    server = await startServer({ dataDirectory });
    await server.client.upload('logs', [{ n: 1 }]);
  });
  afterAll(async () => {
    await server.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  it(
    `are all there or none of them, in ${ROUNDS} rounds`,
    async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        // One is made by them, and one has been there.
        const stream = round % 2 === 0 ? 'logs' : `made${round}`;
        const [column, retention] = [`c${round}`, 100 + round];
        const change = {
          data_retention: retention,
          columns: { [column]: 'Int64' },
          partition_keys: [column],
        };
        const sent = server.client.call(`/api/default/streams/${stream}/settings`, {
          method: 'PUT',
          body: JSON.stringify(change),
        });
        const answered = sent.then(({ status }) => status === 200).catch(() => false);
        await sleep(WITHIN_MS[round % WITHIN_MS.length]);
        await server.kill();
        const wasAnswered = await answered;
        server = await startServer({ dataDirectory });
        const described = await server.client.call(`/api/default/${stream}/schema`);
        const { settings, schema }: Partial<Described> =
          described.status === 200 ? described.json<Described>() : {};
        const body = `SELECT ${column} FROM ${stream}`;
        const asked = await server.client.call('/api/default/sql', { body });
        const applied = [
          settings?.data_retention === retention,
          settings?.partition_keys.includes(column) ?? false,
          schema?.some(({ name }) => name === column) ?? false,
          asked.status === 200,
        ];
        expect([round, applied]).toEqual([round, applied.map(() => applied[0])]);
        if (wasAnswered) expect(applied[0]).toBe(true);
      }
    },
    TIMEOUT_MS,
  );
});
