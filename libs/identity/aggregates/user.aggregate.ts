import type { Decider } from '@app/event-store';

export type UserEvent = UserRegistered | PasswordChanged;

export interface UserRegistered {
  readonly type: 'UserRegistered';
  readonly data: {
    readonly id: string;
    readonly email: string;
    /** argon2id, in its own text form. */
    readonly passwordHash: string;
    readonly root: boolean;
  };
}

export interface PasswordChanged {
  readonly type: 'PasswordChanged';
  readonly data: { readonly id: string; readonly passwordHash: string };
}

export type UserCommand =
  | { readonly type: 'register'; readonly user: UserRegistered['data'] }
  | { readonly type: 'change-password'; readonly passwordHash: string };

export type UserState = UserRegistered['data'] | undefined;

export const userAggregate: Decider<UserState, UserCommand, UserEvent> = {
  initialState: undefined,

  evolve(state, event) {
    switch (event.type) {
      case 'UserRegistered':
        return event.data;
      case 'PasswordChanged':
        return state && { ...state, passwordHash: event.data.passwordHash };
    }
  },

  decide(state, command) {
    switch (command.type) {
      case 'register':
        return state ? [] : [{ type: 'UserRegistered', data: command.user }];
      case 'change-password':
        return state
          ? [
              {
                type: 'PasswordChanged',
                data: { id: state.id, passwordHash: command.passwordHash },
              },
            ]
          : [];
    }
  },
};
