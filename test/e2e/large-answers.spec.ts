import { createHash } from 'node:crypto';
import { request, type IncomingMessage } from 'node:http';
import { setImmediate as aTurn } from 'node:timers/promises';
import { ROOT, borrowServer, type BorrowedServer } from '../server/borrow-server.js';

const ROWS = 800_000;
const AUTHORIZATION = `Basic ${Buffer.from(`${ROOT.email}:${ROOT.password}`).toString('base64')}`;

/**
 * The memory of a block is freed when it is sent. No other client may get data that has come there
 * since.
 */
describe('large answers at the same time', () => {
  let server: BorrowedServer;
  beforeAll(async () => {
    server = await borrowServer();
  });
  afterAll(() => server.giveBack());

  const ask = (whose: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: AUTHORIZATION, accept: 'application/x-ndjson' };
      const sent = request(
        `${server.url}/api/${server.organization}/sql`,
        { method: 'POST', headers },
        (response) => {
          expect(response.statusCode).toBe(200);
          resolve(response);
        },
      );
      sent.on('error', reject);
      sent.end(`SELECT '${whose}' AS whose, number AS n FROM numbers(${ROWS}) ORDER BY n`);
    });
  const expected = (whose: string): string => {
    const hash = createHash('sha256');
    let lines = '';
    for (let n = 0; n < ROWS; n += 1) {
      lines += `{"whose":"${whose}","n":${n}}\n`;
      if (lines.length < 65_536) continue;
      hash.update(lines);
      lines = '';
    }
    return hash.update(lines).digest('hex');
  };
  /** @param turns of the event loop between two pieces: a client that takes its time. */
  const received = async (whose: string, turns: number): Promise<string> => {
    const hash = createHash('sha256');
    for await (const piece of await ask(whose)) {
      hash.update(piece as Buffer);
      for (let turn = 0; turn < turns; turn += 1) await aTurn();
    }
    return hash.digest('hex');
  };
  const left = async (whose: string): Promise<void> => {
    const response = await ask(whose);
    response.once('data', () => response.destroy());
    await new Promise((resolve) => response.once('close', resolve));
  };

  it('each client gets its own answer to the last byte, however slow it is and even if others leave', async () => {
    const names = ['ann', 'bob', 'cat'];
    const rounds = [0, 1].map(async () => {
      const [hashes] = await Promise.all([
        Promise.all(names.map((whose, turns) => received(whose, turns * 4))),
        left('dan'),
        left('eve'),
      ]);
      return hashes;
    });
    const right = names.map(expected);
    for (const round of rounds) expect(await round).toEqual(right);
  }, 120_000);
});
