import type { RecordedEvent } from '@app/event-store';
import { OrganizationsProjection } from './organizations.projection.js';

const created = (id: string, tenant?: string): RecordedEvent =>
  ({
    stream: `organization-${id}`,
    type: 'OrganizationCreated',
    data: { id, name: id.toLowerCase(), database: `o_${id}`, ...(tenant && { tenant }) },
    metadata: { occurredAt: '2026-01-01T00:00:00.000Z' },
  }) as unknown as RecordedEvent;

describe('organizations', () => {
  const projection = new OrganizationsProjection();
  for (const event of [created('A', 'ANN'), created('B', 'ANN'), created('C'), created('D', 'BEN')])
    projection.apply(event);
  const restored = new OrganizationsProjection();
  restored.restore(JSON.parse(JSON.stringify(projection.snapshot())));

  it.each([
    ['applied', projection],
    ['restored', restored],
  ])('%s: those of one tenant share one share; one that names none has its own', (_, of) => {
    const shares = ['a', 'b', 'c', 'd'].map((name) => of.find(name)?.share);
    expect(shares).toEqual(['ANN', 'ANN', 'C', 'BEN']);
    expect(['ANN', 'BEN', 'C'].map((tenant) => of.foundedFor(tenant))).toEqual([2, 1, 0]);
  });

  it('keep their share whatever becomes of their members', () => {
    projection.apply({
      ...created('A'),
      type: 'UserRemovedFromOrganization',
      data: { organizationId: 'A', userId: 'ANN' },
    });
    expect(projection.find('a')?.share).toBe('ANN');
  });
});
