import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandPipeline, Projector, type EventStore } from '@app/event-store';
import { openEmbeddedEventStore } from '@app/event-store/embedded';
import { ServerKey } from '@app/key-store';
import { EmbeddedPersonKeys } from '@app/key-store/embedded';
import { VerifiedCredentials } from '../../libs/identity/auth/verified-credentials.js';
import { Accounts } from '../../libs/identity/people/accounts.js';
import { Memberships } from '../../libs/identity/people/memberships.js';
import { Passcodes } from '../../libs/identity/people/passcode.js';
import { PersonalData } from '../../libs/identity/people/personal-data.js';
import { OrganizationsProjection } from '../../libs/identity/projections/organizations.projection.js';
import { UsersProjection } from '../../libs/identity/projections/users.projection.js';

/** What outlives a node: keys and events, in a folder of their own. */
export class IdentityStores {
  readonly directory = mkdtempSync(join(tmpdir(), 'millrace-identity-'));
  readonly serverKey = new ServerKey(randomBytes(32));
  readonly people = this.openPeople();
  readonly events: EventStore = openEmbeddedEventStore({
    directory: join(this.directory, 'events'),
  });

  /** Another opening of the same keys, as another node has. */
  openPeople(): PersonalData {
    const keys = new EmbeddedPersonKeys(join(this.directory, 'keys'), this.serverKey);
    return new PersonalData(this.serverKey, keys);
  }

  async close(): Promise<void> {
    await this.events.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Everything a node's commands about people are made of, as the app wires it. */
export class IdentityNode {
  readonly users: UsersProjection;
  readonly organizations = new OrganizationsProjection();
  readonly projector: Projector;
  readonly pipeline: CommandPipeline;
  readonly passcodes: Passcodes;
  readonly accounts: Accounts;
  readonly memberships: Memberships;
  readonly credentials: VerifiedCredentials;

  constructor(
    readonly stores: IdentityStores,
    readonly people: PersonalData = stores.people,
  ) {
    this.users = new UsersProjection(people);
    const { events } = stores;
    this.projector = new Projector(events, [this.users, this.organizations], {
      error: () => undefined,
    });
    this.pipeline = new CommandPipeline(events, this.projector, people);
    this.passcodes = new Passcodes(stores.serverKey);
    this.accounts = new Accounts(this.pipeline, people, this.users);
    this.memberships = new Memberships(this.pipeline, this.organizations, this.passcodes);
    this.credentials = new VerifiedCredentials(this.users, people);
  }
}
