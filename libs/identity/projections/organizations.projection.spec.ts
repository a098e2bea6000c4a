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

describe('an organization that is deleted', () => {
  const event = (id: string, type: string, data: object): RecordedEvent => ({
    ...created(id),
    type,
    data: { organizationId: id, ...data },
  });
  const projection = new OrganizationsProjection();
  for (const each of [
    created('A', 'ANN'),
    created('B', 'ANN'),
    event('B', 'UserAddedToOrganization', { userId: 'ANN', role: 'admin' }),
    event('A', 'UserAddedToOrganization', { userId: 'ANN', role: 'admin' }),
    event('A', 'TokenMade', { tokenId: 'T', name: 't', fingerprint: 'f' }),
    event('A', 'OrganizationDeleted', { name: 'a', database: 'o_A' }),
    // These commands were decided before the deletion was known.
    event('A', 'UserAddedToOrganization', { userId: 'BEN', role: 'admin' }),
    created('A', 'ANN'),
    { ...created('E', 'EVE'), data: { id: 'E', name: 'a', database: 'o_E', tenant: 'EVE' } },
  ])
    projection.apply(each);
  const restored = new OrganizationsProjection();
  restored.restore(JSON.parse(JSON.stringify(projection.snapshot())));

  it.each([
    ['applied', projection],
    ['restored', restored],
  ])('%s: is nowhere, and its name is another one’s', (_, of) => {
    expect([of.get('A'), of.isDeleted('A'), of.isDeleted('E')]).toEqual([undefined, true, false]);
    expect(of.find('a')?.id).toBe('E');
    expect(of.token('f')).toBeUndefined();
    expect(['ANN', 'BEN'].map((id) => of.of(id).map((each) => each.id))).toEqual([['B'], []]);
    expect(['ANN', 'EVE'].map((tenant) => of.foundedFor(tenant))).toEqual([1, 1]);
    expect(of.list().map(({ id, number }) => [id, number])).toEqual([
      ['E', 3],
      ['B', 2],
    ]);
  });

  it('leaves its number to nobody', () => {
    restored.apply(created('F'));
    expect(restored.get('F')?.number).toBe(4);
  });
});
