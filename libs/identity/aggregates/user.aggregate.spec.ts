import { userAggregate, type UserCommand, type UserEvent } from './user.aggregate.js';

const ann = { id: '01A', emailHash: 'h', profile: 'v1.p', credential: 'v1.c', root: false };
const registered: UserEvent = { type: 'UserRegistered', data: ann };
const erased: UserEvent = { type: 'UserErased', data: { id: '01A' } };

function given(...events: UserEvent[]) {
  const state = events.reduce(userAggregate.evolve, userAggregate.initialState);
  return { state, when: (command: UserCommand) => userAggregate.decide(state, command) };
}

describe('a user', () => {
  it('is registered once', () => {
    const register: UserCommand = { type: 'register', user: ann };
    expect(given().when(register)).toEqual([registered]);
    expect(() => given(registered).when(register)).toThrow('User already exists');
    expect(() => given(registered, erased).when(register)).toThrow('User already exists');
  });

  it('changes its names and its password', () => {
    const events = given(registered).when({ type: 'change', profile: 'v1.q', credential: 'v1.d' });
    expect(events.map(({ type }) => type)).toEqual(['UserProfileChanged', 'PasswordChanged']);
    expect(given(registered, ...events).state).toEqual({
      ...ann,
      profile: 'v1.q',
      credential: 'v1.d',
      erased: false,
    });
    expect(given(registered).when({ type: 'change' })).toEqual([]);
  });

  it('is erased once, and keeps nothing sealed', () => {
    expect(given(registered).when({ type: 'erase' })).toEqual([erased]);
    expect(given(registered, erased).state).toMatchObject({ profile: '', credential: '' });
    expect(given(registered, erased).when({ type: 'erase' })).toEqual([]);
    expect(given().when({ type: 'erase' })).toEqual([]);
  });

  it('that is not there changes nothing', () => {
    const change: UserCommand = { type: 'change', credential: 'v1.d' };
    expect(() => given().when(change)).toThrow('User not found');
    expect(() => given(registered, erased).when(change)).toThrow('User not found');
  });

  it('passes over events it does not know', () => {
    const later = { type: 'UserPromoted', data: {} } as unknown as UserEvent;
    expect(given(registered, later).state).toEqual(given(registered).state);
  });
});
