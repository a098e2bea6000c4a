import { userAggregate, type UserCommand, type UserEvent } from './user.aggregate.js';

const ann = { id: '01A', email: 'ann@example.com', passwordHash: '$argon2id$1', root: false };
const registered: UserEvent = { type: 'UserRegistered', data: ann };

function given(...events: UserEvent[]) {
  const state = events.reduce(userAggregate.evolve, userAggregate.initialState);
  return { state, when: (command: UserCommand) => userAggregate.decide(state, command) };
}

describe('a user', () => {
  it('is registered once', () => {
    const register: UserCommand = { type: 'register', user: ann };
    expect(given().when(register)).toEqual([registered]);
    expect(given(registered).when(register)).toEqual([]);
  });

  it('changes its password', () => {
    const [changed, ...more] = given(registered).when({
      type: 'change-password',
      passwordHash: '$argon2id$2',
    });
    expect(changed).toEqual({
      type: 'PasswordChanged',
      data: { id: '01A', passwordHash: '$argon2id$2' },
    });
    expect(more).toEqual([]);
    expect(given(registered, changed!).state).toEqual({ ...ann, passwordHash: '$argon2id$2' });
  });

  it('that nobody registered has no password to change', () => {
    expect(given().when({ type: 'change-password', passwordHash: '$argon2id$2' })).toEqual([]);
  });
});
