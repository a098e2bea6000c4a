import {
  DEFAULT_ORGANIZATION,
  organizationAggregate,
  organizationNameReservation,
  organizationNameStream,
} from '@app/identity';
import { certain, ulid } from '@app/platform';
import type { AuditTables } from '@app/warehouse';
import { keepLostEntries } from './keep-lost-entries.js';
import type { Difference, Look } from './look.js';
import { settleStreams, type Settling } from './settle-streams.js';

/** Stores one event after the other, so that it can continue after any of them. */
export async function settleOrganization(settling: Settling): Promise<void> {
  const { difference, found, mode } = settling;
  if (difference.id === undefined) {
    const organization = foundedAgain(found, difference);
    if (mode === 'drop') return dropFound(settling, organization);
    await foundAnew(settling, organization);
    return settleKnown(settling, organization.id);
  }
  const { id, isAway, isDeleted } = difference;
  const { name } = certain(found.models.organizations.get(id), `organization ${id}`);
  const isGone = isAway && (isDeleted || mode === 'drop') && name !== DEFAULT_ORGANIZATION;
  return isGone ? deleteKnown(settling, { id, name }) : settleKnown(settling, id);
}

interface Named {
  readonly id: string;
  readonly name: string;
}

async function settleKnown(settling: Settling, id: string): Promise<void> {
  const { deeds, kept, mode } = settling;
  const streams = await settleStreams(settling, id);
  const entries = await keepLostEntries(settling, id);
  const { missing: entriesMissing, database } = settling.difference;
  if (entriesMissing > 0) await emptyTrail(kept.warehouse, database);
  const data = { organizationId: id, mode, ...entries, entriesMissing, ...streams };
  await deeds.tell([{ type: 'OrganizationReconciled', data }], id);
}

/**
 * The projection writes behind the last entry only, and those that are missing may lie before it.
 * It makes all of them again out of the events.
 */
async function emptyTrail(warehouse: AuditTables, database: string): Promise<void> {
  await warehouse.createAuditTable(database);
  await warehouse.truncateAudit(database, '-1');
}

/**
 * Takes the id and the name of its trail unless they are taken. It has no members; root administers
 * it.
 */
function foundedAgain({ models }: Look, { lost, database }: Difference): Named {
  const { organizations } = models;
  const { id, name } = lost.founded ?? {};
  const isFree = id !== undefined && !organizations.get(id) && !organizations.isDeleted(id);
  return { id: isFree ? id : ulid(), name: freeName(organizations, name ?? database) };
}

function freeName(organizations: Look['models']['organizations'], wanted: string): string {
  let name = wanted;
  for (let n = 2; organizations.find(name); n += 1) name = `${wanted}-${n}`;
  return name;
}

async function foundAnew(
  { deeds, kept, difference }: Settling,
  { id, name }: Named,
): Promise<void> {
  const stream = organizationNameStream(name);
  const holder = await deeds.decide(organizationNameReservation, stream, [
    { type: 'reserve', holder: id },
  ]);
  // No organization has the name. A crash has left the reservation to one that was never made.
  if (holder !== id)
    await deeds.decide(organizationNameReservation, stream, [
      { type: 'release', holder: certain(holder, 'holder of a reserved name') },
      { type: 'reserve', holder: id },
    ]);
  const organization = { id, name, database: difference.database };
  const passcode = kept.passcodes.make(id);
  const command = { type: 'create', organization, passcode } as const;
  await deeds.decide(organizationAggregate, `organization-${id}`, [command], id);
}

/**
 * Founds and deletes the organization at once, so that its database, and its batches on the queue,
 * are removed.
 */
async function dropFound(
  { deeds, kept, difference }: Settling,
  { id, name }: Named,
): Promise<void> {
  const organization = { id, name, database: difference.database };
  const passcode = kept.passcodes.make(id);
  await deeds.decide(organizationAggregate, `organization-${id}`, [
    { type: 'create', organization, passcode },
    { type: 'delete', admin: undefined },
  ]);
}

async function deleteKnown({ deeds }: Settling, { id, name }: Named): Promise<void> {
  const command = { type: 'delete', admin: undefined } as const;
  await deeds.decide(organizationAggregate, `organization-${id}`, [command]);
  const release = { type: 'release', holder: id } as const;
  await deeds.decide(organizationNameReservation, organizationNameStream(name), [release]);
}
