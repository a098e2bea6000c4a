import { emailReservation, emailStream, organizationAggregate, userAggregate } from '@app/identity';
import { MillraceError } from '@app/platform';
import type { Deeds } from './deeds.js';
import type { Models } from './look.js';
import type { LostAccount } from './lost-accounts.js';

/** Erases the account, as `?erase=true` does. Its e-mail may be registered again. */
export async function eraseAccount(
  deeds: Deeds,
  { organizations }: Pick<Models, 'organizations'>,
  { id, emailHash }: LostAccount,
): Promise<void> {
  for (const organization of organizations.of(id))
    await leave(deeds, organization.id, id, emailHash);
  await deeds.decide(userAggregate, `user-${id}`, [{ type: 'erase' }]);
  await deeds.decide(emailReservation, emailStream(emailHash), [{ type: 'release', holder: id }]);
}

async function leave(
  deeds: Deeds,
  organizationId: string,
  userId: string,
  emailHash: string,
): Promise<void> {
  const command = { type: 'remove-user', userId, emailHash, evenTheLastAdmin: true } as const;
  const stream = `organization-${organizationId}`;
  await deeds
    .decide(organizationAggregate, stream, [command], organizationId)
    .catch((error: unknown) => {
      // This reconciliation has deleted the organization.
      const isGone = error instanceof MillraceError && error.kind === 'ORGANIZATION_NOT_FOUND';
      if (!isGone) throw error;
    });
}
