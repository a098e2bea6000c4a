import type { Decider } from '@app/event-store';
import { MillraceError } from '@app/platform';

export type UserEvent =
  | UserRegistered
  | EmailUnproven
  | EmailProven
  | UserProfileChanged
  | PasswordChanged
  | InvitationDeclined
  | UserErased;

export interface UserRegistered {
  readonly type: 'UserRegistered';
  readonly data: {
    readonly id: string;
    /**
     * The fingerprint of the e-mail. Equal e-mails have equal fingerprints, which reveal nothing
     * else.
     */
    readonly emailHash: string;
    readonly root: boolean;
    /** {@link Profile} as JSON, sealed with the person's key. */
    readonly profile: string;
    /** argon2id hash in its text form, sealed with the person's key. */
    readonly credential: string;
  };
}

/**
 * The account's e-mail is not proven yet. Its owner signed up, or was registered by a user whose
 * own e-mail is not proven.
 */
export interface EmailUnproven {
  readonly type: 'EmailUnproven';
  readonly data: { readonly id: string };
}

/** An authorized user says that the e-mail belongs to the account. */
export interface EmailProven {
  readonly type: 'EmailProven';
  readonly data: { readonly id: string };
}

export interface UserProfileChanged {
  readonly type: 'UserProfileChanged';
  readonly data: { readonly id: string; readonly profile: string };
}

export interface PasswordChanged {
  readonly type: 'PasswordChanged';
  readonly data: { readonly id: string; readonly credential: string };
}

/**
 * The event belongs to the user and not to the organization: the inviting admin does not learn that
 * the account exists and has declined.
 */
export interface InvitationDeclined {
  readonly type: 'InvitationDeclined';
  readonly data: {
    readonly id: string;
    readonly organizationId: string;
    readonly invitationId: string;
  };
}

/** The person's key is deleted, so nothing that is sealed with it can be read any more. */
export interface UserErased {
  readonly type: 'UserErased';
  readonly data: { readonly id: string };
}

/** The personal data of an account. */
export interface Profile {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
}

export type UserCommand =
  | {
      readonly type: 'register';
      readonly user: UserRegistered['data'];
      /** Nobody has shown yet that the e-mail belongs to the account. */
      readonly unproven?: boolean;
    }
  | { readonly type: 'prove-email' }
  | { readonly type: 'change'; readonly profile?: string; readonly credential?: string }
  | {
      readonly type: 'decline-invitation';
      readonly organizationId: string;
      readonly invitationId: string;
    }
  | { readonly type: 'erase' };

export type UserState =
  | (UserRegistered['data'] & {
      readonly erased: boolean;
      /**
       * It is absent when the e-mail is proven. All accounts from before the sign-up existed count
       * as proven.
       */
      readonly unproven?: true;
    })
  | undefined;

export const userAggregate: Decider<UserState, UserCommand, UserEvent> = {
  initialState: undefined,

  evolve(state, event) {
    switch (event.type) {
      case 'UserRegistered':
        return { ...event.data, erased: false };
      case 'EmailUnproven':
        return state && { ...state, unproven: true };
      case 'EmailProven':
        return state && proven(state);
      case 'UserProfileChanged':
        return state && { ...state, profile: event.data.profile };
      case 'PasswordChanged':
        return state && { ...state, credential: event.data.credential };
      case 'UserErased':
        return state && { ...state, profile: '', credential: '', erased: true };
      default:
        return state;
    }
  },

  decide(state, command) {
    if (command.type === 'register') {
      if (state) throw new MillraceError('ALREADY_EXISTS', 'User already exists');
      const { user, unproven } = command;
      const registered = { type: 'UserRegistered' as const, data: user };
      return unproven
        ? [registered, { type: 'EmailUnproven', data: { id: user.id } }]
        : [registered];
    }
    if (command.type === 'erase')
      return state && !state.erased ? [{ type: 'UserErased', data: { id: state.id } }] : [];
    if (!state || state.erased) throw new MillraceError('USER_NOT_FOUND', 'User not found');
    if (command.type === 'prove-email')
      return state.unproven ? [{ type: 'EmailProven', data: { id: state.id } }] : [];
    if (command.type === 'decline-invitation') {
      const { organizationId, invitationId } = command;
      return [{ type: 'InvitationDeclined', data: { id: state.id, organizationId, invitationId } }];
    }
    return change(state.id, command);
  },
};

function proven({ unproven: _, ...state }: NonNullable<UserState>): UserState {
  return state;
}

function change(
  id: string,
  { profile, credential }: { readonly profile?: string; readonly credential?: string },
): UserEvent[] {
  return [
    ...(profile === undefined
      ? []
      : [{ type: 'UserProfileChanged' as const, data: { id, profile } }]),
    ...(credential === undefined
      ? []
      : [{ type: 'PasswordChanged' as const, data: { id, credential } }]),
  ];
}
