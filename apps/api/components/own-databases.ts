import { mayIn, type OrganizationsProjection } from '@app/identity';
import { organizationOf, type AuthenticatedRequest } from '@app/platform';
import { Databases } from '@app/query';

/** An organization appears as a database to the users who may query it. */
export class OwnDatabases extends Databases {
  constructor(private readonly organizations: Pick<OrganizationsProjection, 'find'>) {
    super();
  }

  has(request: AuthenticatedRequest, name: string): boolean {
    if (name === organizationOf(request).name) return true;
    const { caller } = request;
    const organization = this.organizations.find(name);
    // A passcode opens the database of its own organization.
    if (!organization || !caller || caller.byPasscode) return false;
    return mayIn(organization, caller, 'query');
  }
}
