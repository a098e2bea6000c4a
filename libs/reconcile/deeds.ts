import { randomUUID } from 'node:crypto';
import { ulid } from '@app/platform';
import { RECONCILER, RECONCILIATION, type ReconciliationEvent } from '@app/audit';
import {
  StreamCommands,
  type Decider,
  type DomainEvent,
  type EventStore,
  type NewEvent,
  type StreamCommand,
} from '@app/event-store';

/** The number of events in one append. A store takes far more. */
const APPEND_MAX = { events: 500, characters: 256 * 1024 };

/**
 * Stores the events of a reconciliation in the name of the reconciler. No other process runs
 * meanwhile.
 */
export class Deeds {
  private readonly commands: StreamCommands;

  constructor(private readonly store: EventStore) {
    this.commands = new StreamCommands(store);
  }

  /**
   * Decides commands one after the other. Stores the events of all of them, or none.
   * @param organizationId the organization whose trail shows them; undefined means `default`
   * @returns the state after them
   * @throws {MillraceError} the refusal of one of them; nothing is stored then
   */
  async decide<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    stream: string,
    commands: readonly Command[],
    organizationId?: string,
  ): Promise<State> {
    const asked = {
      decider: together(decider),
      command: commands,
      commandId: ulid(),
      toAppend: (decided: readonly DomainEvent[]) => newEvents(decided, organizationId),
    } as unknown as StreamCommand;
    const { state, refusal } = await this.commands.run(stream, asked);
    if (refusal !== undefined) throw refusal as Error;
    return state as State;
  }

  /** Stores events about the reconciliation itself. */
  async tell(events: readonly ReconciliationEvent[], organizationId?: string): Promise<void> {
    for (const group of inGroups(newEvents(events, organizationId)))
      await this.store.append(RECONCILIATION, group, 'any');
  }
}

/** Makes a decider of several commands: each is decided on the state that the ones before left. */
function together<State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
): Decider<State, readonly Command[], Event> {
  return {
    ...decider,
    decide: (before, commands) => {
      let state = before;
      return commands.flatMap((command) => {
        const decided = decider.decide(state, command);
        state = decided.reduce(decider.evolve, state);
        return decided;
      });
    },
  };
}

function newEvents(
  decided: readonly DomainEvent[],
  organizationId: string | undefined,
): readonly NewEvent[] {
  const commandId = ulid();
  const metadata = {
    $correlationId: commandId,
    $causationId: commandId,
    actor: RECONCILER,
    occurredAt: new Date().toISOString(),
    ...(organizationId === undefined ? {} : { organizationId }),
  };
  return decided.map(({ type, data }) => ({ id: randomUUID(), type, data, metadata }));
}

function inGroups(events: readonly NewEvent[]): NewEvent[][] {
  const groups: NewEvent[][] = [];
  let characters = Infinity;
  for (const event of events) {
    const size = JSON.stringify(event.data).length;
    const group = groups.at(-1);
    const isFull = !group || group.length >= APPEND_MAX.events;
    if (isFull || characters + size > APPEND_MAX.characters) {
      groups.push([event]);
      characters = size;
    } else {
      group.push(event);
      characters += size;
    }
  }
  return groups;
}
