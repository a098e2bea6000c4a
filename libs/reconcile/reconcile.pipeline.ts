import { OperatorError } from '@app/platform';
import { Deeds } from './deeds.js';
import { eraseAccount } from './erase-account.js';
import { look, type Difference, type Look } from './look.js';
import type { LostAccount } from './lost-accounts.js';
import { settleOrganization } from './settle-organization.js';
import { refuseStrangers, type Mode, type Reconciler } from './settle-streams.js';

/**
 * Brings events and tables together by storing events. They say what is adopted, dropped and lost,
 * and the projections make and drop the tables, as after any other event. A reconciliation that was
 * broken off continues where it was. The server does not start before it has ended.
 * @param organization the name or the database of the only one to settle; undefined means all of
 * them and the accounts
 * @returns the differences that are left
 * @throws {Error} if no such organization differs, or if a table cannot be adopted
 */
export async function reconcile(
  kept: Reconciler,
  found: Look,
  mode: Mode,
  organization?: string,
): Promise<Look> {
  const isWanted = ({ name, database }: Difference): boolean =>
    organization === undefined || [name, database].includes(organization);
  const chosen = found.differences.filter(isWanted);
  if (organization !== undefined && chosen.length === 0)
    throw new OperatorError(`of an organization ${organization} nothing differs`);
  const accounts = organization === undefined ? found.accounts.filter(isOver(mode)) : [];
  if (chosen.length + accounts.length === 0 && !found.isOpen) return found;
  if (mode === 'adopt') refuseStrangers(chosen, found.models.streams);
  const deeds = new Deeds(kept.events);
  if (!found.isOpen)
    await deeds.tell([{ type: 'ReconciliationBegun', data: { upTo: String(found.upTo) } }]);
  for (const difference of chosen)
    await settleOrganization({ kept, deeds, found, mode, difference });
  for (const account of accounts) await eraseAccount(deeds, found.models, account);
  const left = await look(kept);
  if (left.differences.length > 0 || left.accounts.some(isOver('adopt'))) return left;
  const { reconciled: organizations } = left;
  await deeds.tell([{ type: 'ReconciliationEnded', data: { organizations } }]);
  return { ...left, isOpen: false };
}

/** An erased account stays erased. One that nobody can read is given up only by `--drop`. */
const isOver =
  (mode: Mode) =>
  ({ why }: LostAccount): boolean =>
    mode === 'drop' || why === 'erased';
