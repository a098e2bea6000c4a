import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Projector, SnapshotFiles } from '@app/event-store';
import { createLogger } from '@app/platform';
import { readConfig } from '@app/config';
import { openStores, type Stores } from '../../apps/api/parts/open-parts.js';
import { writeHistory } from '../fixtures/management-history.js';
import { report } from './report.js';

const SHORT = process.env.BENCH === 'short';
const EVENTS = SHORT ? 1500 : 100_000;
const ROUNDS = SHORT ? 1 : 3;
const log = createLogger('fatal');

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

describe(`a start after ${EVENTS.toLocaleString('en')} events`, () => {
  let directory: string;
  let stores: Stores;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-history-'));
  });
  afterEach(async () => {
    await stores.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const open = async (): Promise<void> => {
    stores = await openStores(readConfig({ MILLRACE_DATA_DIR: directory }), log);
  };
  const reopen = async (): Promise<void> => {
    await stores.close();
    await open();
  };
  const snapshots = () => new SnapshotFiles(join(directory, 'snapshots'));
  /** As the program starts: all projections, with the snapshots that are there. */
  const start = async (kept: SnapshotFiles): Promise<number> => {
    const projector = new Projector(stores.events, stores.projections, log, kept);
    const time = await seconds(() => projector.start());
    await projector.stop();
    return time;
  };

  it('tells how long the read models take beside a bare read of the events', async () => {
    await open();
    await writeHistory(stores.events, stores.people, stores.serverKey, EVENTS);
    const first = await start(snapshots());
    const [floor, models, all, kept] = [[], [], [], []] as [number[], number[], number[], number[]];
    for (let round = 0; round < ROUNDS; round += 1) {
      await reopen();
      floor.push(
        await seconds(async () => {
          let count = 0;
          for await (const event of stores.events.readAll()) count += event.type === '' ? 0 : 1;
          expect(count).toBeGreaterThanOrEqual(EVENTS);
        }),
      );
      const { users, organizations, streams } = stores;
      const projector = new Projector(stores.events, [users, organizations, streams], log);
      models.push(await seconds(() => projector.start()));
      await projector.stop();
      expect(organizations.list()).toHaveLength(200);
      await reopen();
      all.push(await start(new SnapshotFiles(join(directory, 'no-snapshots', String(round)))));
      await reopen();
      kept.push(await start(snapshots()));
      expect(stores.organizations.list()).toHaveLength(200);
    }
    const show = (values: readonly number[]): string =>
      `${median(values).toFixed(2)} s (${values.map((value) => value.toFixed(2)).join(', ')})`;
    report(`Start after ${EVENTS.toLocaleString('en')} events`, [
      ['bare read of all events, median', show(floor)],
      ['read models from the first event (users, organizations, streams), median', show(models)],
      ['ratio of medians', (median(floor) / median(models)).toFixed(2)],
      ['all projections from the first event, tables compared, audit hashed again', show(all)],
      ['all projections with snapshots', show(kept)],
      ['the very first start: also 600 tables made, and every audit row', `${first.toFixed(2)} s`],
    ]);
  }, 600_000);
});
