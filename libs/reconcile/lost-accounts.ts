import type { PersonalData, UsersProjection } from '@app/identity';

/** An account of which the events say that it is there, and something else does not. */
export interface LostAccount {
  readonly id: string;
  readonly emailHash: string;
  readonly isRoot: boolean;
  /** `erased`: in the lost time. `no key`: nobody can read it. `other key`: its key is there, and another one than it was sealed with, or wrapped with another server's key. */
  readonly why: 'erased' | 'no key' | 'other key';
}

/** @param erased ids of people who were erased in the lost time */
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
