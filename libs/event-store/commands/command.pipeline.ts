import { randomUUID } from 'node:crypto';
import { MillraceError } from '@app/platform';
import type { CommandPace } from './command-pace.js';
import type { CommandContext } from './command-context.js';
import type { Decider, DomainEvent } from './decider.js';
import type { EventMetadata, NewEvent } from '../event.js';
import type { EventStore } from '../event-store.js';
import { byOrganization } from '../projections/by-organization.js';
import type { Projector } from '../projections/projector.js';
import { StreamCommands } from './stream-commands.js';

interface HandleOptions<State, Command, Event extends DomainEvent> {
  readonly decider: Decider<State, Command, Event>;
  readonly stream: string;
  readonly command: Command;
  readonly context: CommandContext;
  /** No read model shows who holds a name, so there is nothing to wait for. */
  readonly isReservation?: boolean;
  /** The answer also waits for projections that write in groups, such as the audit trail. */
  readonly isWritten?: boolean;
}

/** Keeps what events may not show. */
export abstract class EventSealer {
  /** Seals where a request came from, so that it is readable only while its actor is not erased. */
  abstract seal(
    personId: string,
    client: { readonly address?: string | undefined; readonly userAgent?: string | undefined },
  ): string;

  /** The same text has the same fingerprint for ever, and nobody without the key can compute it. */
  abstract fingerprint(text: string): string;
}

/**
 * A caller's header may have so many characters. Events are kept for ever, so nobody may make them
 * long.
 */
const HEADER_MAX = 256;
const FINGERPRINT_CHARACTERS = 16;

/**
 * The way of a command: load, decide, append at the revision that was read, wait until this node's
 * read models have it. A client that gets the answer reads its own writes here. Commands for the
 * same stream are decided one after the other on this node, each on what the one before has left; a
 * conflict with another node is decided again on what is there by then.
 */
export class CommandPipeline {
  private readonly streams: StreamCommands;

  constructor(
    private readonly store: EventStore,
    private readonly projector: Projector,
    private readonly clients: EventSealer,
    /** Undefined means: nobody is bounded. */
    private readonly pace?: CommandPace,
  ) {
    this.streams = new StreamCommands(store);
  }

  /**
   * @returns the aggregate's state after the command.
   * @throws {MillraceError} CONFLICT when others are always faster; NOT_READY, which says whether
   * anything was changed, while read models cannot follow.
   */
  async handle<State, Command, Event extends DomainEvent>(
    options: HandleOptions<State, Command, Event>,
  ): Promise<State> {
    const { decider, stream, command, context, isReservation = false, isWritten = false } = options;
    const { state, position, refusal } = await this.streams.run(stream, {
      decider,
      command,
      commandId: context.commandId,
      ...this.fingerprintOf(context),
      toAppend: (decided) => {
        const events = this.newEvents(decided, context);
        const lanes = events.flatMap(({ metadata }) => byOrganization({ stream, metadata }));
        this.projector.checkBeforeAppend(lanes);
        this.pace?.check(context.actor, decided.length);
        return events;
      },
    });
    if (refusal !== undefined) {
      // The refusal may be due to a change from another node, which must then be visible here too.
      await this.projector.awaitPosition(position).catch(() => undefined);
      throw refusal as Error;
    }
    if (!isReservation) await this.projector.awaitPosition(position);
    if (isWritten) await this.projector.awaitWritten(position);
    return state as State;
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

  /**
   * Does the same for events that nobody waits to read.
   * @returns its position, when it is stored
   */
  async keep(stream: string, event: DomainEvent, context: CommandContext): Promise<bigint> {
    return (await this.store.append(stream, this.newEvents([event], context), 'any')).position;
  }

  /** Ids are new each time: two nodes that decide the same command differently must not pass for one. */
  private newEvents(decided: readonly DomainEvent[], context: CommandContext): NewEvent[] {
    const { commandId, content, sealedFor, address, userAgent, requestId, ...who } = context;
    const client = { address: shortened(address), userAgent: shortened(userAgent) };
    const isKnown = address !== undefined || userAgent !== undefined;
    const metadata: EventMetadata = {
      ...who,
      ...(requestId === undefined ? {} : { requestId: shortened(requestId) }),
      ...(isKnown ? { client: this.clients.seal(sealedFor ?? who.actor, client) } : {}),
      $correlationId: shortened(requestId ?? commandId),
      $causationId: commandId,
      ...this.fingerprintOf({ commandId, content }),
    };
    return decided.map(({ type, data }) => ({ id: randomUUID(), type, data, metadata }));
  }

  /** The command's id is in it, so that fingerprints of two commands tell nothing about each other. */
  private fingerprintOf({
    commandId,
    content,
  }: {
    readonly commandId: string;
    readonly content?: string | undefined;
  }): { readonly contentFingerprint?: string } {
    if (content === undefined) return {};
    const fingerprint = this.clients.fingerprint(JSON.stringify([commandId, content]));
    return { contentFingerprint: fingerprint.slice(0, FINGERPRINT_CHARACTERS) };
  }
}

function shortened<Text extends string | undefined>(text: Text): Text;
function shortened(text: string | undefined): string | undefined {
  return text?.slice(0, HEADER_MAX);
}
