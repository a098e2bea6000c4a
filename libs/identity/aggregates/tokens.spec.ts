import fc from 'fast-check';
import type { OrganizationEvent } from './organization-events.js';
import { organizationAggregate, type OrganizationCommand } from './organization.aggregate.js';
import { TOKENS_MAX, tokenNameProblem, type Token } from './tokens.js';

const acme: OrganizationEvent = {
  type: 'OrganizationCreated',
  data: { id: '01O', name: 'acme', database: 'o_1' },
};
const NOW = '2026-01-02T00:00:00.000Z';
const LATER = '2026-01-03T00:00:00.000Z';

const token = (name: string, more: Partial<Token> = {}): Token => ({
  organizationId: '01O',
  tokenId: `id-${name}`,
  name,
  fingerprint: `f-${name}`,
  role: 'viewer',
  madeBy: '01A',
  madeAt: NOW,
  ...more,
});
const made = (data: Token): OrganizationEvent => ({ type: 'TokenMade', data });
const ended = (type: 'TokenRevoked' | 'TokenExpired', name: string): OrganizationEvent => ({
  type,
  data: { organizationId: '01O', tokenId: `id-${name}`, name },
});
const make = (data: Token): OrganizationCommand => ({ type: 'make-token', token: data });
const revoke = (name: string): OrganizationCommand => ({ type: 'revoke-token', name });

function given(...events: OrganizationEvent[]) {
  const state = [acme, ...events].reduce(
    organizationAggregate.evolve,
    organizationAggregate.initialState,
  );
  return {
    names: [...state.tokens.keys()],
    when: (command: OrganizationCommand) => organizationAggregate.decide(state, command),
  };
}

const failure = (kind: string) => expect.objectContaining({ kind }) as Error;

describe('tokens of an organization', () => {
  it('are made and revoked by name', () => {
    expect(given().when(make(token('a')))).toEqual([made(token('a'))]);
    expect(given(made(token('a'))).when(revoke('a'))).toEqual([ended('TokenRevoked', 'a')]);
    expect(given(made(token('a')), ended('TokenRevoked', 'a')).names).toEqual([]);
    expect(() => given().when(revoke('a'))).toThrow(failure('TOKEN_NOT_FOUND'));
  });

  it('have a name that no other has; that of an expired one is free', () => {
    const open = given(made(token('a')), made(token('b', { expiresAt: LATER })));
    for (const name of ['a', 'b'])
      expect(() => open.when(make(token(name)))).toThrow(failure('ALREADY_EXISTS'));
    const over = make(token('b', { madeAt: LATER }));
    expect(open.when(over)).toEqual([
      ended('TokenExpired', 'b'),
      made(token('b', { madeAt: LATER })),
    ]);
  });

  it('are bounded, and expired ones make room', () => {
    const full = Array.from({ length: TOKENS_MAX }, (_, n) =>
      made(token(`t${n}`, n < 2 ? { expiresAt: LATER } : {})),
    );
    expect(() => given(...full).when(make(token('x')))).toThrow(failure('LIMIT_REACHED'));
    const more = token('x', { madeAt: LATER });
    expect(given(...full).when(make(more))).toEqual([
      ended('TokenExpired', 't0'),
      ended('TokenExpired', 't1'),
      made(more),
    ]);
  });

  it('of another time with the same name are others', () => {
    const again = token('a', { tokenId: 'id-again' });
    const events = [made(token('a')), ended('TokenRevoked', 'a'), made(again)];
    expect(given(...events).names).toEqual(['a']);
    // If the old token is revoked twice, the new token of the same name stays valid.
    expect(given(...events, ended('TokenRevoked', 'a')).names).toEqual(['a']);
  });

  it('stay when who made them leaves, and the organization has no others', () => {
    const [joined, left] = [
      {
        type: 'UserAddedToOrganization',
        data: { organizationId: '01O', userId: '01A', role: 'viewer' },
      },
      { type: 'UserRemovedFromOrganization', data: { organizationId: '01O', userId: '01A' } },
    ] as const;
    expect(given(joined, made(token('a')), left).names).toEqual(['a']);
    expect(() =>
      organizationAggregate.decide(organizationAggregate.initialState, make(token('a'))),
    ).toThrow(failure('ORGANIZATION_NOT_FOUND'));
  });

  it('have names that are one word of the audit trail and of an address', () => {
    for (const name of ['a', 'Ship.per-1_x', 'x'.repeat(63)])
      expect(tokenNameProblem(name)).toBeUndefined();
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        if (tokenNameProblem(name) === undefined) {
          expect(encodeURIComponent(name)).toBe(name);
          expect(`token ${name} ID`.split(' ')).toHaveLength(3);
        }
      }),
    );
    for (const name of ['', 'a b', '.x', '-x', '_x', 'a/b', 'é', 'x'.repeat(64), 'a\n'])
      expect(tokenNameProblem(name)).toContain('token name');
  });
});
