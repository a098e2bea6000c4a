import { MillraceError } from '@app/platform';

/**
 * The error for a caller whose work in an organization began before the organization was deleted.
 */
export const organizationDeleted = (): MillraceError =>
  new MillraceError(
    'ORGANIZATION_NOT_FOUND',
    'the organization was deleted meanwhile, with all that was in it; nothing of this request was stored',
  );
