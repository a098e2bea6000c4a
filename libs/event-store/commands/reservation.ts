import type { Decider } from './decider.js';

interface Reservation {
  readonly holder: string;
}

/** Events of a name's stream: `StreamNameReserved`, `EmailReleased` and so on. */
export type ReservationEvent<Kind extends string = string> =
  | { readonly type: `${Kind}Reserved`; readonly data: Reservation }
  | { readonly type: `${Kind}Released`; readonly data: Reservation };

type ReservationCommand =
  | { readonly type: 'reserve'; readonly holder: string }
  | { readonly type: 'release'; readonly holder: string };

/** The current holder of the name. */
export type Holder = string | undefined;

/**
 * A name that one holder can have at a time, as a stream of its own, since there is no transaction
 * over streams. Reserving a name that is taken changes nothing: the state names its holder.
 * @param kind the kind of name, e.g. `Email`
 */
export function reservation<Kind extends string>(
  kind: Kind,
): Decider<Holder, ReservationCommand, ReservationEvent<Kind>> {
  const reserved = `${kind}Reserved` as const;
  const released = `${kind}Released` as const;
  return {
    initialState: undefined,
    evolve(holder, { type, data }) {
      if (type === reserved) return data.holder;
      return type === released ? undefined : holder;
    },
    decide(holder, command) {
      const data = { holder: command.holder };
      if (command.type === 'reserve') return holder === undefined ? [{ type: reserved, data }] : [];
      return holder === command.holder ? [{ type: released, data }] : [];
    },
  };
}
