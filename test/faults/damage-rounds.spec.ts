import { cpSync, lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CAMPAIGN, rounds } from '../rounds.js';
import { damageOne, randomOf } from './damage-files.js';
import { fill, outcomeOf, type Round } from './damage-outcome.js';

const ROUNDS = rounds(3, 60);
const SEED = 20_261_122;

/** A server that was killed leaves its operators' socket, which cannot be copied. */
const isData = (path: string): boolean => !lstatSync(path).isSocket();

/**
 * A server whose disk has damaged something while it was stopped refuses to start and says why, or
 * has everything that it acknowledged, or tells what is missing. It never hangs, and is never silent.
 */
describe('a data directory in which any one file is damaged', () => {
  let base: string;

  beforeAll(async () => {
    base = mkdtempSync(join(tmpdir(), 'millrace-base-'));
    await fill(base);
  });
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  it(`is refused, whole or told of, in ${ROUNDS} rounds`, async () => {
    const random = randomOf(SEED);
    const all: Round[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-damage-'));
      try {
        cpSync(base, dataDirectory, { recursive: true, filter: isData });
        const damage = damageOne(dataDirectory, random);
        all.push({ ...damage, ...(await outcomeOf(dataDirectory, damage)) });
      } finally {
        rmSync(dataDirectory, { recursive: true, force: true });
      }
    }
    if (CAMPAIGN) console.table(all);
    expect(all.filter(({ outcome }) => outcome === 'SILENT' || outcome === 'HANGS')).toEqual([]);
  }, 3_600_000);
});
