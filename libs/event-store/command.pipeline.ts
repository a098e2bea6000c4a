import { createHash } from 'node:crypto';
import { MillraceError } from '@app/platform';
import type { CommandContext } from './command-context.js';
import type { Decider, DomainEvent } from './decider.js';
import type { EventMetadata, NewEvent } from './event.js';
import { WrongExpectedRevisionError, type EventStore } from './event-store.js';
import type { Projector } from './projector.js';

export interface HandleOptions<State, Command, Event extends DomainEvent> {
  readonly decider: Decider<State, Command, Event>;
  readonly stream: string;
  readonly command: Command;
  readonly context: CommandContext;
}

const TRIES = 5;
const SCHEMA_VERSION = 1;

/**
 * The way of a command: load, decide, append at the revision that was read, wait until this
 * node's read models have it. Whoever gets the answer reads their own writes here. A conflict is
 * decided again on what is there by then.
 */
export class CommandPipeline {
  constructor(
    private readonly store: EventStore,
    private readonly projector: Projector,
  ) {}

  /** @returns the aggregate's state after the command. */
  async handle<State, Command, Event extends DomainEvent>(
    options: HandleOptions<State, Command, Event>,
  ): Promise<State> {
    const { decider, stream, command, context } = options;
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      let state = decider.initialState;
      let revision = -1;
      let position = 0n;
      for await (const recorded of this.store.read(stream)) {
        state = decider.evolve(state, recorded as unknown as Event);
        revision = recorded.revision;
        position = recorded.position;
      }
      const decided = decider.decide(state, command);
      if (decided.length === 0) {
        await this.projector.awaitPosition(position);
        return state;
      }
      if (await this.append(stream, decided, revision === -1 ? 'no-stream' : revision, context)) {
        return decided.reduce(decider.evolve, state);
      }
    }
    throw new MillraceError(
      'CONFLICT',
      'others changed the same thing at the same time; try again',
      {
        retryAfterSeconds: 1,
      },
    );
  }

  /** Takes a name that may exist once: the first to append to its stream has it. @returns whether this command has it now. */
  async reserve(stream: string, event: DomainEvent, context: CommandContext): Promise<boolean> {
    return this.append(stream, [event], 'no-stream', context);
  }

  private async append(
    stream: string,
    decided: readonly DomainEvent[],
    expected: number | 'no-stream',
    context: CommandContext,
  ): Promise<boolean> {
    const events = decided.map((event, index) =>
      toNewEvent(event, `${context.commandId}/${stream}/${index}`, context),
    );
    try {
      const { position } = await this.store.append(stream, events, expected);
      await this.projector.awaitPosition(position);
      return true;
    } catch (error) {
      if (error instanceof WrongExpectedRevisionError) return false;
      throw error;
    }
  }
}

function toNewEvent({ type, data }: DomainEvent, name: string, context: CommandContext): NewEvent {
  const { commandId, ...who } = context;
  const metadata: EventMetadata = {
    ...who,
    $correlationId: context.requestId ?? commandId,
    $causationId: commandId,
    schemaVersion: SCHEMA_VERSION,
  };
  return { id: uuidOf(name), type, data, metadata };
}

/** A UUID that depends on nothing but `name`, so that a command sent again appends nothing. */
function uuidOf(name: string): string {
  const hash = createHash('sha256').update(name).digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString('hex', 0, 16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}
