import { CommandMarks } from './command-marks.js';
import type { Decider, DomainEvent } from './decider.js';
import { stepsOf, type EventMetadata, type NewEvent } from '../event.js';
import { WrongExpectedRevisionError, type EventStore } from '../event-store.js';
import { FoldedStates, type Folded } from './folded-states.js';
import { cannotDecide } from '../not-understood.js';

export type AnyDecider = Decider<unknown, unknown, DomainEvent>;

/**
 * Aggregates as their streams have them. The aggregates of the last commands are kept folded. The
 * caller makes sure that nobody else works on the stream meanwhile.
 */
export class Aggregates {
  private readonly folded = new FoldedStates();

  constructor(private readonly store: EventStore) {}

  /** Loads the state from the cache, or from its first event on. */
  async load(stream: string, decider: AnyDecider): Promise<Folded<unknown>> {
    const kept = this.folded.get(stream, decider);
    if (kept) return kept;
    const { initialState: state } = decider;
    const marks = new CommandMarks();
    return this.catchUp(stream, decider, { state, revision: -1, position: 0n, marks });
  }

  /**
   * Applies the newer events of the stream to the state.
   * @throws {MillraceError} EVENT_NOT_UNDERSTOOD for an event that this program does not understand
   */
  async catchUp(
    stream: string,
    decider: AnyDecider,
    { state: before, revision: last, position: reached, marks }: Folded<unknown>,
  ): Promise<Folded<unknown>> {
    let newest = { state: before, revision: last, position: reached, marks };
    let bytes = 0;
    // An aggregate that was not read to its end is not kept, because its marks may be ahead of it.
    this.folded.drop(stream);
    for await (const event of this.store.read(stream, { from: last + 1 })) {
      if (event.notUnderstood !== undefined) {
        // The state is kept up to this event, so that the next command is refused quickly.
        this.folded.keep(stream, decider, newest, bytes);
        throw cannotDecide(event);
      }
      const { revision, position } = event;
      const state = stepsOf(event).reduce(decider.evolve, newest.state);
      newest = { state, revision, position, marks };
      marks.add(event.metadata.$causationId);
      bytes += JSON.stringify(event.data).length;
    }
    this.folded.keep(stream, decider, newest, bytes);
    return newest;
  }

  /** Finds what was recorded with the events of a command, if any are among the folded ones. */
  async traceOf(
    stream: string,
    { marks, revision }: Folded<unknown>,
    commandId: string,
  ): Promise<EventMetadata | undefined> {
    if (!marks.mayHave(commandId)) return undefined;
    for await (const { metadata } of this.store.read(stream, { limit: revision + 1 }))
      if (metadata.$causationId === commandId) return metadata;
    return undefined;
  }

  /**
   * Appends after the folded events.
   * @param state the state that the events lead to
   * @returns undefined when there are newer events
   */
  async append(
    stream: string,
    decider: AnyDecider,
    { revision: before, marks }: Folded<unknown>,
    { events, bytes, state }: Staged,
  ): Promise<Folded<unknown> | undefined> {
    try {
      const expected = before === -1 ? 'no-stream' : before;
      const { revision, position } = await this.store.append(stream, events, expected);
      for (const { metadata } of events) marks.add(metadata.$causationId);
      const after = { state, revision, position, marks };
      this.folded.keep(stream, decider, after, bytes);
      return after;
    } catch (error) {
      if (error instanceof WrongExpectedRevisionError) return undefined;
      // It is not known whether they are stored.
      this.folded.drop(stream);
      throw error;
    }
  }
}

/** Events that are decided and not appended yet. */
export interface Staged {
  readonly events: readonly NewEvent[];
  /** The size of the state as JSON. */
  readonly bytes: number;
  /** The state that the events make of the aggregate. */
  readonly state: unknown;
}

/** Stages events as they will be read: what JSON leaves out was never there. */
export function staged(decider: AnyDecider, before: Staged, events: readonly NewEvent[]): Staged {
  const text = JSON.stringify(events);
  const state = (JSON.parse(text) as NewEvent[]).reduce(decider.evolve, before.state);
  return { events: [...before.events, ...events], bytes: before.bytes + text.length, state };
}
