import { Injectable } from '@nestjs/common';
import type { RequestOrganization } from '@app/platform';
import { DEFAULT_ORGANIZATION } from '../auth/default-organization.js';
import { OrganizationsProjection } from '../projections/organizations.projection.js';
import { UsersProjection, type User } from '../projections/users.projection.js';

export interface UserRecord {
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly role: string;
  /** Microseconds since the epoch. */
  readonly created_at: number;
  /** Nobody has shown that the e-mail belongs to the account; absent if somebody has. */
  readonly email_proven?: false;
}

/** Lists the members of an organization, with their roles. Root is a member of the default one. */
@Injectable()
export class MemberList {
  constructor(
    private readonly users: UsersProjection,
    private readonly organizations: OrganizationsProjection,
  ) {}

  of({ id, name }: RequestOrganization): readonly UserRecord[] {
    const members = this.organizations.get(id)?.members ?? new Map<string, string>();
    const records = [...members].flatMap(([userId, memberRole]) => {
      const user = this.users.byId(userId);
      if (!user) return [];
      const record = toRecord(user, memberRole);
      return [this.users.isProven(userId) ? record : { ...record, email_proven: false as const }];
    });
    const root = name === DEFAULT_ORGANIZATION ? this.users.root() : undefined;
    return root ? [toRecord(root, 'root'), ...records] : records;
  }
}

function toRecord(user: User, role: string): UserRecord {
  return {
    email: user.email,
    first_name: user.firstName,
    last_name: user.lastName,
    role,
    created_at: user.createdAt * 1000,
  };
}
