import type { PersonalData, UsersProjection } from '@app/identity';

/** The events know this account, but its key is gone or a trail says that it was erased. */
export interface LostAccount {
  readonly id: string;
  readonly emailHash: string;
  readonly isRoot: boolean;
  /**
   * `erased`: the account was erased in the lost time. `no key`: nobody can read it. `other key`:
   * there is a key, but another one has sealed the account, or another server's key wraps it.
   */
  readonly why: 'erased' | 'no key' | 'other key';
}

/** @param erased the ids of people who were erased in the lost time */
export function lostAccounts(
  users: UsersProjection,
  people: PersonalData,
  erased: ReadonlySet<string>,
): readonly LostAccount[] {
  return users.snapshot().flatMap(({ user }) => {
    const { id, emailHash, root: isRoot } = user;
    if (user.erased) return [];
    const why = erased.has(id) ? 'erased' : keyProblem(people, user);
    return why === undefined ? [] : [{ id, emailHash, isRoot, why }];
  });
}

function keyProblem(
  people: PersonalData,
  user: { readonly id: string; readonly profile: string },
): LostAccount['why'] | undefined {
  try {
    return people.profile(user) ? undefined : 'no key';
  } catch {
    return 'other key';
  }
}
