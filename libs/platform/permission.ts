import { SetMetadata } from '@nestjs/common';

/** What a route asks of its caller within the organization named by its `:org` parameter. */
export type Permission = 'upload' | 'query' | 'manage-streams' | 'manage-organization';

export const PERMISSION_METADATA = 'millrace:permission';
export const OPEN_METADATA = 'millrace:open';

/** The route needs an authenticated caller that has `permission` in `:org`. Routes without either decorator are refused. */
export const Requires = (permission: Permission) => SetMetadata(PERMISSION_METADATA, permission);

/** The route answers without credentials. */
export const Open = () => SetMetadata(OPEN_METADATA, true);
