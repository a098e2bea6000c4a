export { DEFAULT_ORGANIZATION } from './auth/default-organization.js';
export { EnsureRoot, type RootCredentials } from './commands/ensure-root.command.js';
export { IdentityModule } from './identity.module.js';
export { PersonalData } from './people/personal-data.js';
export { OrganizationsProjection } from './projections/organizations.projection.js';
export { UsersProjection } from './projections/users.projection.js';
