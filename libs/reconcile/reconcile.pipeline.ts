import { Deeds } from './deeds.js';
import { eraseAccount } from './erase-account.js';
import { look, type Difference, type Look } from './look.js';
import type { LostAccount } from './lost-accounts.js';
import { settleOrganization } from './settle-organization.js';
import { refuseStrangers, type Mode, type Reconciler } from './settle-streams.js';

/**
 * Brings events and tables together by events: those say what is adopted, dropped and lost, and
 * what is made and dropped in the warehouse follows from them, as from any others. Broken off, it
 * goes on where it was; the server does not start before it has ended.
 * @param organization by name, or by database; undefined: all, and the accounts
 * @returns what is left
 * @throws {Error} where no such organization differs, or a table cannot be adopted
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
    throw new Error(`of an organization ${organization} nothing differs`);
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

/** Who was erased stays so; who cannot be read is given up only where that is asked for. */
const isOver =
  (mode: Mode) =>
  ({ why }: LostAccount): boolean =>
    mode === 'drop' || why === 'erased';
