export { EnsureRoot, type RootCredentials } from './commands/ensure-root.command.js';
export { IdentityModule } from './identity.module.js';
export { OrganizationsProjection } from './projections/organizations.projection.js';
export { UsersProjection } from './projections/users.projection.js';
