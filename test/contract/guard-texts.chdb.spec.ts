import { readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { MillraceError } from '@app/platform';
import { RAN, textAttacks, type Attack, type Canaries } from '../fixtures/text-attacks.js';
import { CAMPAIGN, rounds } from '../rounds.js';
import { CANARY, openGuardedEngine, OTHER, type GuardedEngine } from './guarded-engine.js';

const ROUNDS = rounds(160, 20_000);
const SEED = Number(process.env.MILLRACE_SEED ?? Date.now() % 1_000_000_000);
const AT_ONCE = 4;
const SECRET = new RegExp(`${CANARY}|${RAN}|o_[0-9a-f]{32}|(?:\\b|a)${hostname()}\\b`);
/** The test ends after so many breaches. */
const BREACHES = 10;

describe('texts that functions read in a way of their own', () => {
  let engine: GuardedEngine;
  let server: Server;
  let canaries: Canaries;
  let asked = 0;

  beforeAll(async () => {
    engine = await openGuardedEngine();
    server = createServer((_request, response) => {
      asked += 1;
      response.end(`${CANARY}\n`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    canaries = {
      file: join(engine.directory, 'canary.txt'),
      table: `${OTHER}.secret`,
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      database: OTHER,
    };
  });
  afterAll(async () => {
    server.close();
    await engine.close();
  });

  it('would be heard without a guard', async () => {
    const holes = [
      `SELECT arrayReduceInRanges('groupConcat(currentDatabase())', [(1, 2)], ['a', 'b'])`,
      `SELECT arrayReduce('groupConcat(concat(\\'RA\\',\\'N7z\\'))', ['a', 'b'])`,
    ];
    for (const sql of holes) {
      const told = await engine.warehouse.text({ sql, database: OTHER, format: 'text' });
      expect([sql, told]).toEqual([sql, expect.stringMatching(SECRET)]);
      await expect(engine.run(sql)).rejects.toMatchObject({ kind: 'STATEMENT_REFUSED' });
    }
  });

  it('reach no file past the guard: the engine’s user and its process may read none', async () => {
    const read = `file(\\'${canaries.file}\\')`;
    for (const sql of [
      `SELECT b FROM values('a UInt8, b String ALIAS ${read}', (1))`,
      `WITH 'a UInt8, b String ALIAS ${read}' AS s SELECT b FROM values(s, (1))`,
      `SELECT arrayReduce('groupConcat(${read})', ['a', 'b'])`,
    ]) {
      const told = await engine.warehouse
        .text({ sql, database: OTHER, format: 'text' })
        .catch((error: unknown) => String(error));
      expect([sql, told]).toEqual([sql, expect.not.stringMatching(SECRET)]);
      await expect(engine.run(sql)).rejects.toMatchObject({ kind: 'STATEMENT_REFUSED' });
    }
  });

  it(`run nothing, in ${ROUNDS} statements of seed ${SEED}`, async () => {
    const attacks = textAttacks(canaries, SEED);
    const tally = { refused: 0, failed: 0, answered: 0 };
    const breaches: unknown[] = [];
    const attack = async ({ sql, values, mustFail }: Attack): Promise<void> => {
      let told: string;
      let answered = false;
      let known = true;
      try {
        told = await engine.run(sql, values);
        answered = true;
        tally.answered += 1;
      } catch (error) {
        const { name, message } = error as Error;
        known = /^(?:Millrace|Warehouse)Error$/.test(name);
        told = `${message} ${(error as MillraceError).detail ?? ''}`;
        if (error instanceof MillraceError && error.kind === 'STATEMENT_REFUSED')
          tally.refused += 1;
        else tally.failed += 1;
      }
      // Names of columns and refusals repeat the statement's text.
      const secret = SECRET.exec(told.replaceAll(OTHER, ''))?.[0];
      if (secret !== undefined || asked > 0 || !known || (answered && mustFail))
        breaches.push({ sql, values, secret, asked, told: told.slice(0, 300) });
    };
    const worker = async (share: number): Promise<void> => {
      for (let round = 0; round < share && breaches.length < BREACHES; round += 1)
        await attack(attacks.next().value);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, () => worker(ROUNDS / AT_ONCE)));
    if (CAMPAIGN) {
      const result = { seed: SEED, rounds: ROUNDS, ...tally, breaches: breaches.length };
      process.stderr.write(`guard-texts: ${JSON.stringify(result)}\n`);
    }
    expect(breaches).toEqual([]);
    expect(readdirSync(engine.directory).sort()).toEqual(
      ['batch.native', 'canary.csv', 'canary.txt', 'engine', 'out'], // prettier-ignore
    );
    expect(readdirSync(join(engine.directory, 'out'))).toEqual([]);
    // A test in which hardly anything is refused would prove nothing.
    expect(tally.refused).toBeGreaterThan(ROUNDS / 4);
    // One in thirty is answered, so that of a few statements none may be.
    if (CAMPAIGN) expect(tally.answered).toBeGreaterThan(ROUNDS / 100);
  }, 1_800_000);
});
