import fc from 'fast-check';
import { reservation, type Holder, type ReservationEvent } from './reservation.js';

const email = reservation('Email');
const reserved = (holder: string): ReservationEvent<'Email'> => ({
  type: 'EmailReserved',
  data: { holder },
});
const released = (holder: string): ReservationEvent<'Email'> => ({
  type: 'EmailReleased',
  data: { holder },
});

function given(...events: ReservationEvent<'Email'>[]) {
  const holder = events.reduce<Holder>(email.evolve, email.initialState);
  return {
    holder,
    reserve: (who: string) => email.decide(holder, { type: 'reserve', holder: who }),
    release: (who: string) => email.decide(holder, { type: 'release', holder: who }),
  };
}

describe('a reserved name', () => {
  it('belongs to who comes first, until they give it back', () => {
    expect(given().reserve('a')).toEqual([reserved('a')]);
    const taken = given(reserved('a'));
    expect([taken.holder, taken.reserve('b'), taken.reserve('a')]).toEqual(['a', [], []]);
    const free = given(reserved('a'), released('a'));
    expect([free.holder, free.reserve('b')]).toEqual([undefined, [reserved('b')]]);
  });

  it('is given back by its holder only', () => {
    expect(given(reserved('a')).release('b')).toEqual([]);
    expect(given(reserved('a')).release('a')).toEqual([released('a')]);
    expect(given().release('a')).toEqual([]);
  });

  it('passes over events of another kind of name', () => {
    const [other] = reservation('StreamName').decide('a', { type: 'release', holder: 'a' });
    expect(email.evolve('a', other as unknown as ReservationEvent<'Email'>)).toBe('a');
  });

  it('has one holder at most, whatever is asked', () => {
    const command = fc.record({
      type: fc.constantFrom('reserve' as const, 'release' as const),
      holder: fc.constantFrom('a', 'b', 'c'),
    });
    fc.assert(
      fc.property(fc.array(command), (commands) => {
        let holder: Holder;
        let expected: Holder;
        for (const each of commands) {
          holder = email.decide(holder, each).reduce<Holder>(email.evolve, holder);
          if (each.type === 'reserve') expected ??= each.holder;
          else if (expected === each.holder) expected = undefined;
          expect(holder).toBe(expected);
        }
      }),
    );
  });
});
