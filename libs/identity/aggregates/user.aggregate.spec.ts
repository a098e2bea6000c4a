import { userAggregate, type UserCommand, type UserEvent } from './user.aggregate.js';

const ann = {
  id: '01A',
  emailHash: 'ab12',
  root: false,
  profile: 'v1.profile-1',
  credential: 'v1.credential-1',
};
const registered: UserEvent = { type: 'UserRegistered', data: ann };
const renamed: UserEvent = {
  type: 'UserProfileChanged',
  data: { id: '01A', profile: 'v1.profile-2' },
};
const passwordChanged: UserEvent = {
  type: 'PasswordChanged',
  data: { id: '01A', credential: 'v1.credential-2' },
};
const erased: UserEvent = { type: 'UserErased', data: { id: '01A' } };

function given(...events: UserEvent[]) {
  const state = events.reduce(userAggregate.evolve, userAggregate.initialState);
  return { state, when: (command: UserCommand) => userAggregate.decide(state, command) };
}

const failure = (kind: string): Error => expect.objectContaining({ kind }) as Error;

describe('a user', () => {
  it('is registered once, and an id is not used again when its user is erased', () => {
    const register: UserCommand = { type: 'register', user: ann };
    expect(given().when(register)).toEqual([registered]);
    expect(() => given(registered).when(register)).toThrow(failure('ALREADY_EXISTS'));
    expect(() => given(registered, erased).when(register)).toThrow(failure('ALREADY_EXISTS'));
  });

  it('has an e-mail that is unproven only when it says so, until somebody proves it, once', () => {
    const unproven: UserEvent = { type: 'EmailUnproven', data: { id: '01A' } };
    const proven: UserEvent = { type: 'EmailProven', data: { id: '01A' } };
    const signUp: UserCommand = { type: 'register', user: ann, unproven: true };
    expect(given().when(signUp)).toEqual([registered, unproven]);
    expect(given(registered, unproven).state).toEqual({ ...ann, erased: false, unproven: true });
    const prove: UserCommand = { type: 'prove-email' };
    expect(given(registered, unproven).when(prove)).toEqual([proven]);
    expect(given(registered, unproven, proven).state).toEqual({ ...ann, erased: false });
    for (const done of [given(registered), given(registered, unproven, proven)])
      expect(done.when(prove)).toEqual([]);
    expect(() => given(registered, unproven, erased).when(prove)).toThrow(
      failure('USER_NOT_FOUND'),
    );
  });

  it('changes its password', () => {
    const credential = 'v1.credential-2';
    expect(given(registered).when({ type: 'change', credential })).toEqual([passwordChanged]);
    expect(given(registered, passwordChanged).state).toEqual({ ...ann, credential, erased: false });
  });

  it('changes its profile, alone or together with its password', () => {
    const profile = 'v1.profile-2';
    const credential = 'v1.credential-2';
    expect(given(registered).when({ type: 'change', profile })).toEqual([renamed]);
    expect(given(registered).when({ type: 'change', profile, credential })).toEqual([
      renamed,
      passwordChanged,
    ]);
    expect(given(registered).when({ type: 'change' })).toEqual([]);
    expect(given(registered, renamed).state).toEqual({ ...ann, profile, erased: false });
  });

  it('is erased once, with everything that was sealed', () => {
    expect(given(registered).when({ type: 'erase' })).toEqual([erased]);
    expect(given(registered, erased).when({ type: 'erase' })).toEqual([]);
    expect(given().when({ type: 'erase' })).toEqual([]);
    expect(given(registered, erased).state).toEqual({
      ...ann,
      profile: '',
      credential: '',
      erased: true,
    });
  });

  it('that nobody registered, or that is erased, has nothing to change', () => {
    const change: UserCommand = { type: 'change', credential: 'v1.credential-2' };
    expect(() => given().when(change)).toThrow(failure('USER_NOT_FOUND'));
    expect(() => given(registered, erased).when(change)).toThrow(failure('USER_NOT_FOUND'));
  });

  it('is nobody before it is registered, whatever else is in its stream', () => {
    expect(given(renamed, passwordChanged, erased).state).toBeUndefined();
  });
});
