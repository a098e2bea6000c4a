import type { InvitationEvent } from './invitations.js';
import type { Role } from './roles.js';
import type { TokenEvent } from './tokens.js';

export type OrganizationEvent =
  | OrganizationCreated
  | OrganizationRenamed
  | OrganizationDeleted
  | PasscodeRotated
  | UserAddedToOrganization
  | UserRoleChanged
  | UserRemovedFromOrganization
  | InvitationEvent
  | TokenEvent;

export interface OrganizationCreated {
  readonly type: 'OrganizationCreated';
  readonly data: {
    readonly id: string;
    readonly name: string;
    /**
     * The name of the database in the warehouse. It consists of random letters, so that nobody can
     * guess it.
     */
    readonly database: string;
    /**
     * The account behind its founder: all organizations that are founded for it have one share
     * together. None: root made the organization, or it is older than this field.
     */
    readonly tenant?: string;
  };
}

export interface OrganizationRenamed {
  readonly type: 'OrganizationRenamed';
  /** The name that people are shown. The name by which the organization is asked for stays. */
  readonly data: { readonly organizationId: string; readonly displayName: string };
}

/** The organization's name is free, and none of its data can be reached any more. */
export interface OrganizationDeleted {
  readonly type: 'OrganizationDeleted';
  readonly data: {
    readonly organizationId: string;
    readonly name: string;
    readonly database: string;
  };
}

export interface PasscodeRotated {
  readonly type: 'PasscodeRotated';
  /** `passcode` is sealed with the server's key. */
  readonly data: { readonly organizationId: string; readonly passcode: string };
}

interface Membership {
  readonly organizationId: string;
  readonly userId: string;
  readonly role: Role;
}

export interface UserAddedToOrganization {
  readonly type: 'UserAddedToOrganization';
  readonly data: Membership;
}

export interface UserRoleChanged {
  readonly type: 'UserRoleChanged';
  readonly data: Membership;
}

export interface UserRemovedFromOrganization {
  readonly type: 'UserRemovedFromOrganization';
  readonly data: { readonly organizationId: string; readonly userId: string };
}
