import type { Caller } from '@app/platform';
import { permissionsOf } from '../../aggregates/roles.js';
import type { Token } from '../../aggregates/tokens.js';
import type { User } from '../../projections/users.projection.js';

export function callerOfToken({ organizationId, tokenId, name, role, streams }: Token): Caller {
  return {
    userId: `token ${name} ${tokenId}`,
    email: '',
    root: false,
    byPasscode: false,
    token: {
      organizationId,
      may: permissionsOf(role),
      ...(streams ? { streams: new Set(streams) } : {}),
    },
  };
}

export function callerOfUser({ id, email, root }: User, byPasscode: boolean): Caller {
  return { userId: id, email, root, byPasscode };
}
