export { ORGANIZATION_NAME } from './aggregates/organization-names.js';
export { organizationAggregate } from './aggregates/organization.aggregate.js';
export {
  emailReservation,
  emailStream,
  organizationNameReservation,
  organizationNameStream,
} from './aggregates/reserved-names.js';
export { userAggregate } from './aggregates/user.aggregate.js';
export { DEFAULT_ORGANIZATION } from './auth/default-organization.js';
export { mayIn } from './auth/may-in.js';
export { KnownAddresses } from './auth/throttle/known-addresses.js';
export { IDENTITY_EVENTS } from './identity-event-fields.js';
export { EnsureRoot, type RootCredentials } from './commands/installation/ensure-root.command.js';
export { NarrowDefault } from './commands/installation/narrow-default.command.js';
export { IdentityModule } from './identity.module.js';
export { DatabaseNames } from './people/database-names.js';
export {
  changeInstallationKey,
  eventsOfInstallation,
  FormerKeyError,
  NotSealedError,
  recognizeKey,
} from './people/installation-key.js';
export { Passcodes } from './people/passcode.js';
export { PersonalData } from './people/personal-data.js';
export { EndedSessionsProjection } from './projections/ended-sessions.projection.js';
export { InvitationsProjection } from './projections/invitations.projection.js';
export { OrganizationsProjection } from './projections/organizations.projection.js';
export { UsersProjection } from './projections/users.projection.js';
export { ACCOUNT_BOUNDS } from './people/account-bounds.settings.js';
export { SIGN_UP } from './http/sign-up.settings.js';
