import type { PersonalData, UsersProjection } from '@app/identity';
import type { Logger } from '@app/platform';

/**
 * Warns of accounts whose keys are lost, for example because the keys come from an older copy.
 * Nobody can read these accounts. The start goes on, since all other accounts can be read.
 */
export function tellOfLostKeys(
  users: Pick<UsersProjection, 'snapshot'>,
  people: Pick<PersonalData, 'hasKey'>,
  logger: Pick<Logger, 'warn'>,
): void {
  const lost = users.snapshot().filter(({ user }) => !user.erased && !people.hasKey(user.id));
  if (lost.length === 0) return;
  logger.warn(
    { count: lost.length },
    'accounts cannot be read, since the keys of these people are gone: the keys are older than the events; `millrace reconcile` lists them (docs/operations.md, "Stores of different age")',
  );
}
