import { SetMetadata } from '@nestjs/common';

/**
 * The right that a route asks of its caller within the organization named by its `:org` parameter.
 * `upload` and `query` open to the organization's passcode as well; the others need the password.
 * `manage-organization` is for admins only: users, passcode, audit, and deleting streams.
 */
export type Permission = 'upload' | 'query' | 'view' | 'configure-streams' | 'manage-organization';

/** One key for both decorators, so that what stands nearest to the route decides. */
export const ACCESS_METADATA = 'millrace:access';
export type Access = Permission | 'account' | 'operator' | 'open';

/** The route needs a caller that has `permission` in `:org`. Routes without any of these decorators are refused. */
export const Requires = (permission: Permission) =>
  SetMetadata<string, Access>(ACCESS_METADATA, permission);

/**
 * The route needs an account with its password. The route itself decides what the account may do
 * there.
 */
export const RequiresAccount = () => SetMetadata<string, Access>(ACCESS_METADATA, 'account');

/** Opens the route to root, and to any client on this machine, since these run the server. */
export const RequiresOperator = () => SetMetadata<string, Access>(ACCESS_METADATA, 'operator');

/** The route answers without credentials. */
export const Open = () => SetMetadata<string, Access>(ACCESS_METADATA, 'open');
