import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { KeyedQueue, MillraceError } from '@app/platform';
import type { CommandPace } from './command-pace.js';
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
  /** Who has a name is in no read model: there is nothing to wait for. */
  readonly isReservation?: boolean;
}

/** Seals where a request came from, so that it is readable only while its actor is not erased. */
export abstract class ClientSealer {
  abstract seal(
    personId: string,
    client: { readonly address?: string | undefined; readonly userAgent?: string | undefined },
  ): string;
}

const TRIES = 10;
const BACKOFF_MS = 10;
const SCHEMA_VERSION = 1;
/** Of what a caller writes into headers: events are kept for ever, so nobody may make them long. */
const HEADER_MAX = 256;

/**
 * The way of a command: load, decide, append at the revision that was read, wait until this
 * node's read models have it. Whoever gets the answer reads their own writes here. Commands for
 * the same stream wait for each other on this node; a conflict with another node is decided again
 * on what is there by then.
 */
export class CommandPipeline {
  private readonly queue = new KeyedQueue();

  constructor(
    private readonly store: EventStore,
    private readonly projector: Projector,
    private readonly clients: ClientSealer,
    /** Undefined: nobody is bounded. */
    private readonly pace?: CommandPace,
  ) {}

  /**
   * @returns the aggregate's state after the command.
   * @throws {MillraceError} CONFLICT when others are always faster; NOT_READY, which says whether
   * anything was changed, while read models cannot follow.
   */
  handle<State, Command, Event extends DomainEvent>(
    options: HandleOptions<State, Command, Event>,
  ): Promise<State> {
    return this.queue.run(options.stream, async () => {
      for (let attempt = 0; attempt < TRIES; attempt += 1) {
        const done = await this.attempt(options);
        if (done) return done.state;
        await sleep(Math.random() * BACKOFF_MS * (attempt + 1));
      }
      throw new MillraceError(
        'CONFLICT',
        'others changed the same thing at the same time; try again',
        { retryAfterSeconds: 1 },
      );
    });
  }

  /**
   * Keeps something that happened and that nobody decided, such as a failed login. It counts from
   * then on, also where read models cannot show it yet.
   */
  async record(stream: string, event: DomainEvent, context: CommandContext): Promise<void> {
    await this.projector
      .awaitPosition(await this.keep(stream, event, context))
      .catch((error: unknown) => {
        if (!(error instanceof MillraceError)) throw error;
      });
  }

  /** The same for what nobody waits to read. @returns its position, when it is stored */
  async keep(stream: string, event: DomainEvent, context: CommandContext): Promise<bigint> {
    return (await this.store.append(stream, this.newEvents([event], context), 'any')).position;
  }

  /** @returns undefined when another writer came in between. */
  private async attempt<State, Command, Event extends DomainEvent>(
    options: HandleOptions<State, Command, Event>,
  ): Promise<{ readonly state: State } | undefined> {
    const { decider, stream, command, context, isReservation = false } = options;
    let state = decider.initialState;
    let revision = -1;
    let position = 0n;
    let done = false;
    for await (const recorded of this.store.read(stream)) {
      state = decider.evolve(state, recorded as unknown as Event);
      revision = recorded.revision;
      position = recorded.position;
      done ||= recorded.metadata.$causationId === context.commandId;
    }
    // A command that comes again is answered with what is there, not decided on its own effects.
    const decided = done ? [] : await this.decide(decider, state, command, position);
    if (decided.length > 0) {
      this.projector.checkBeforeAppend();
      this.pace?.check(context.actor, decided.length);
      const events = this.newEvents(decided, context);
      const appended = await this.append(stream, events, revision);
      if (appended === undefined) return undefined;
      position = appended;
    }
    if (!isReservation) await this.projector.awaitPosition(position);
    return { state: decided.reduce(decider.evolve, state) };
  }

  /** What a command is refused for may have come from another node: it can be seen here too, then. */
  private async decide<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    state: State,
    command: Command,
    position: bigint,
  ): Promise<readonly Event[]> {
    try {
      return decider.decide(state, command);
    } catch (error) {
      await this.projector.awaitPosition(position).catch(() => undefined);
      throw error;
    }
  }

  private async append(
    stream: string,
    events: readonly NewEvent[],
    revision: number,
  ): Promise<bigint | undefined> {
    try {
      const expected = revision === -1 ? 'no-stream' : revision;
      return (await this.store.append(stream, events, expected)).position;
    } catch (error) {
      if (error instanceof WrongExpectedRevisionError) return undefined;
      throw error;
    }
  }

  /** Ids are new each time: two nodes that decide the same command differently must not pass for one. */
  private newEvents(decided: readonly DomainEvent[], context: CommandContext): NewEvent[] {
    const { commandId, sealedFor, address, userAgent, requestId, ...who } = context;
    const client = { address: shortened(address), userAgent: shortened(userAgent) };
    const isKnown = address !== undefined || userAgent !== undefined;
    const metadata: EventMetadata = {
      ...who,
      ...(requestId === undefined ? {} : { requestId: shortened(requestId) }),
      ...(isKnown ? { client: this.clients.seal(sealedFor ?? who.actor, client) } : {}),
      $correlationId: shortened(requestId ?? commandId),
      $causationId: commandId,
      schemaVersion: SCHEMA_VERSION,
    };
    return decided.map(({ type, data }) => ({ id: randomUUID(), type, data, metadata }));
  }
}

function shortened<Text extends string | undefined>(text: Text): Text;
function shortened(text: string | undefined): string | undefined {
  return text?.slice(0, HEADER_MAX);
}
