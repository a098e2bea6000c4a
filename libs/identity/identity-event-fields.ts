import type { EventFields, ReservationEvent } from '@app/event-store';
import { z } from 'zod';
import type { OrganizationEvent } from './aggregates/organization-events.js';
import { ROLES } from './aggregates/roles.js';
import { TOKEN_ROLES } from './aggregates/tokens.js';
import type { UserEvent } from './aggregates/user.aggregate.js';
import type { FailedLoginEvent } from './auth/throttle/failed-logins.js';
import { INSTALLATION_EVENTS, type InstallationEvent } from './people/installation-events.js';
import type { SessionEnded } from './projections/ended-sessions.projection.js';

type IdentityEvent =
  | OrganizationEvent
  | UserEvent
  | SessionEnded
  | FailedLoginEvent
  | InstallationEvent
  | ReservationEvent<'Email' | 'OrganizationName'>;

const text = z.string();
const count = z.int().min(0);
const holder = { holder: text };
const membership = { organizationId: text, userId: text, role: z.enum(ROLES) };
const endedInvitation = { organizationId: text, invitationId: text };
const endedToken = { organizationId: text, tokenId: text, name: text };

/** The fields of the events of people and organizations, as they are written today. */
export const IDENTITY_EVENTS: EventFields<IdentityEvent> = {
  OrganizationCreated: { id: text, name: text, database: text, tenant: text.exactOptional() },
  OrganizationRenamed: { organizationId: text, displayName: text },
  OrganizationDeleted: { organizationId: text, name: text, database: text },
  PasscodeRotated: { organizationId: text, passcode: text },
  UserAddedToOrganization: membership,
  UserRoleChanged: membership,
  UserRemovedFromOrganization: { organizationId: text, userId: text },

  UserInvited: {
    organizationId: text,
    invitationId: text,
    emailHash: text,
    invitee: text,
    role: z.enum(ROLES),
    invitedBy: text,
    invitedAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
  },
  InvitationAccepted: { organizationId: text, invitationId: text, userId: text },
  InvitationWithdrawn: endedInvitation,
  InvitationExpired: endedInvitation,

  TokenMade: {
    organizationId: text,
    tokenId: text,
    name: text,
    fingerprint: text,
    role: z.enum(TOKEN_ROLES),
    streams: z.array(text).exactOptional(),
    madeBy: text,
    madeAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().exactOptional(),
  },
  TokenRevoked: endedToken,
  TokenExpired: endedToken,

  UserRegistered: {
    id: text,
    emailHash: text,
    root: z.boolean(),
    profile: text,
    credential: text,
  },
  EmailUnproven: { id: text },
  EmailProven: { id: text },
  UserProfileChanged: { id: text, profile: text },
  PasswordChanged: { id: text, credential: text },
  InvitationDeclined: { id: text, organizationId: text, invitationId: text },
  UserErased: { id: text },

  SessionEnded: {
    sessionId: text,
    expiresAt: z.iso.datetime(),
    userId: text.exactOptional(),
  },
  LoginFailed: {
    userId: text.exactOptional(),
    token: z.literal(true).exactOptional(),
    failed: count,
    refused: count.exactOptional(),
    first: z.iso.datetime().exactOptional(),
    last: z.iso.datetime().exactOptional(),
  },
  LoginsFailed: {
    failed: count,
    refused: count,
    prefixes: count,
    morePrefixes: z.literal(true).exactOptional(),
  },

  ...INSTALLATION_EVENTS,
  EmailReserved: holder,
  EmailReleased: holder,
  OrganizationNameReserved: holder,
  OrganizationNameReleased: holder,
};
