import type { RecordedEvent } from '@app/event-store';
import { StreamsProjection } from './streams.projection.js';

const event = (stream: string, type: string, data: object): RecordedEvent =>
  ({ stream, type, data }) as unknown as RecordedEvent;
const made = (id: string, organizationId: string): RecordedEvent =>
  event(`stream-${id}`, 'StreamCreated', {
    id,
    organizationId,
    database: `o_${organizationId}`,
    name: id.toLowerCase(),
  });

describe('streams of an organization that is deleted', () => {
  const projection = new StreamsProjection();
  for (const each of [
    made('S1', 'A'),
    made('S2', 'B'),
    event('organization-A', 'OrganizationDeleted', { organizationId: 'A', database: 'o_A' }),
    // These commands were decided before the deletion was known.
    event('stream-S1', 'StreamSettingsChanged', { id: 'S1', settings: { dataRetention: 1 } }),
    made('S3', 'A'),
  ])
    projection.apply(each);
  const restored = new StreamsProjection();
  restored.restore(JSON.parse(JSON.stringify(projection.snapshot())));

  it.each([
    ['applied', projection],
    ['restored', restored],
  ])('%s: are deleted with it, and so is what comes late', (_, of) => {
    expect(of.all().map(({ id }) => id)).toEqual(['S2']);
    expect(['S1', 'S2', 'S3'].map((id) => of.isDeleted(id))).toEqual([true, false, true]);
    expect(of.list('A')).toEqual([]);
    expect(['A', 'B'].map((id) => of.isOrganizationDeleted(id))).toEqual([true, false]);
    expect([...of.deletedDatabases]).toEqual(['o_A']);
  });
});
