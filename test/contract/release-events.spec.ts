import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NotUnderstood, SnapshotFiles, type EventStore } from '@app/event-store';
import { openEmbeddedEventStore } from '@app/event-store/embedded';
import { openServerKey } from '@app/key-store';
import { understoodEvents } from '@app/stored-events';
import { openEventStoreDb } from '../../libs/event-store/eventstoredb/event-store-db.js';
import { EventStoreDbDouble } from '../doubles/eventstoredb/eventstoredb-double.js';
import { eventsOf, startNode, type Site } from './node.js';

const releases = join(import.meta.dirname, '../fixtures/releases');
const archives = readdirSync(releases).filter((name) => name.endsWith('.tar.gz'));
const NOW = Date.parse('2026-11-25T00:00:00Z');

/** The data directories of releases are opened whole in `test/e2e/releases.spec.ts`. */
describe('the events of a release', () => {
  let folder: string;
  let embedded: EventStore;
  let double: EventStoreDbDouble;
  let onServer: EventStore;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-release-events-'));
    double = await EventStoreDbDouble.start();
    onServer = openEventStoreDb({ url: double.url, log: { warn: () => undefined } });
  });
  afterEach(async () => {
    await embedded.close();
    await onServer.close();
    await double.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Collects the answers of read models that read a store, and the events that say nothing to them. */
  async function told(directory: string, stored: EventStore) {
    const met = new NotUnderstood({ error: () => undefined });
    const site: Site = {
      directory,
      stored,
      store: understoodEvents(stored, met),
      serverKey: openServerKey(directory, undefined, false),
      snapshots: new SnapshotFiles(join(folder, 'none')),
      dispose: () => Promise.resolve(),
    };
    const { users, organizations, invitations, streams, stop } = await startNode(site, {
      now: () => NOW,
    });
    await stop();
    const models = [users, organizations, invitations, streams];
    return {
      notUnderstood: met.all(),
      organizations: organizations.list().map(({ name }) => name),
      streams: streams.all().map(({ name }) => name),
      states: structuredClone(models.map((each) => each.snapshot())),
    };
  }

  it.each(archives)('%s are all understood, and say the same in either store', async (archive) => {
    execFileSync('tar', ['-C', folder, '-xzf', join(releases, archive), 'data/events', 'data/person-keys', 'data/secret-key']); // prettier-ignore
    const directory = join(folder, 'data');
    embedded = openEmbeddedEventStore({ directory: join(directory, 'events') });
    for (const { stream, id, type, data, metadata } of await eventsOf(embedded))
      await onServer.append(stream, [{ id, type, data, metadata }], 'any');
    const here = await told(directory, embedded);
    expect(here.notUnderstood).toEqual([]);
    expect(here.organizations).toEqual(expect.arrayContaining(['acme', 'default']));
    expect(here.streams).toContain('logs');
    expect(await told(directory, onServer)).toEqual(here);
  });
});
