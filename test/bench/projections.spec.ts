import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Projector, SnapshotFiles } from '@app/event-store';
import { createLogger } from '@app/platform';
import { readConfig } from '@app/config';
import { openStores, type Stores } from '../../apps/api/components/open-components.js';
import { STREAMS_EACH, writeHistory } from '../fixtures/management-history.js';
import { familyProcessorSeconds } from './processor-time.js';
import { report } from './report.js';

const SHORT = process.env.BENCH === 'short';
/** A million take a quarter of an hour, so they come once, and only when they are asked for. */
const LONG = process.env.BENCH === 'long';
/** `BENCH=short` is for CI: the same, with fewer of both. */
const ORGANIZATIONS = SHORT ? 20 : 200;
const EVENTS = SHORT ? 1_500 : LONG ? 1_000_000 : 100_000;
const ROUNDS = SHORT || LONG ? 1 : 3;
const log = createLogger('fatal');

/** Seconds, by the clock and of processor time, this process's and the engine's. */
interface Took {
  readonly clock: number;
  readonly processor: number;
}

/** A long run says each as it ends, because the whole takes so long. */
async function took(what: string, work: () => Promise<unknown>): Promise<Took> {
  const [started, used] = [performance.now(), familyProcessorSeconds(process.pid)];
  await work();
  const clock = (performance.now() - started) / 1000;
  const processor = familyProcessorSeconds(process.pid) - used;
  if (LONG) process.stdout.write(`${what}: ${shown({ clock, processor })}\n`);
  return { clock, processor };
}

const shown = ({ clock, processor }: Took): string =>
  `${clock.toFixed(2)} s, ${processor.toFixed(2)} s of processor time`;

const median = (values: readonly Took[]): Took =>
  [...values].sort((a, b) => a.clock - b.clock)[Math.floor(values.length / 2)] ?? { clock: NaN, processor: NaN }; // prettier-ignore

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
  /** Starts all projections as the program does, with the snapshots that are there. */
  const start = async (what: string, kept: SnapshotFiles): Promise<Took> => {
    const projector = new Projector(stores.events, stores.projections, log, kept);
    const time = await took(what, () => projector.start());
    await projector.stop();
    return time;
  };

  it('tells how long the read models take beside a bare read of the events', async () => {
    await open();
    const { events, people, serverKey } = stores;
    const size = { organizations: ORGANIZATIONS, count: EVENTS };
    await took('written', () => writeHistory(events, people, serverKey, size));
    const first = await start('the very first start', snapshots());
    const [floor, models, all, kept] = [[], [], [], []] as [Took[], Took[], Took[], Took[]];
    for (let round = 0; round < ROUNDS; round += 1) {
      await reopen();
      floor.push(
        await took('bare read', async () => {
          let count = 0;
          for await (const event of stores.events.readAll()) count += event.type === '' ? 0 : 1;
          expect(count).toBeGreaterThanOrEqual(EVENTS);
        }),
      );
      const { users, organizations, streams } = stores;
      const projector = new Projector(stores.events, [users, organizations, streams], log);
      models.push(await took('read models', () => projector.start()));
      await projector.stop();
      expect(organizations.list()).toHaveLength(ORGANIZATIONS);
      await reopen();
      const none = new SnapshotFiles(join(directory, 'no-snapshots', String(round)));
      all.push(await start('all projections', none));
      await reopen();
      kept.push(await start('with snapshots', snapshots()));
      expect(stores.organizations.list()).toHaveLength(ORGANIZATIONS);
    }
    const show = (values: readonly Took[]): string =>
      `${shown(median(values))} (${values.map(({ clock }) => clock.toFixed(2)).join(', ')})`;
    report(`Start after ${EVENTS.toLocaleString('en')} events`, [
      ['bare read of all events, median', show(floor)],
      ['read models from the first event (users, organizations, streams), median', show(models)],
      ['ratio of medians', (median(floor).clock / median(models).clock).toFixed(2)],
      ['all projections from the first event, tables compared, audit hashed again', show(all)],
      ['all projections with snapshots', show(kept)],
      [
        `the very first start: also ${ORGANIZATIONS * STREAMS_EACH} tables made, and every audit row`,
        shown(first),
      ],
    ]);
  }, 3_600_000);
});
