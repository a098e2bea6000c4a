import { Backoff } from '@app/flow';
import { MillraceError } from '@app/platform';
import { Aggregates, staged, type AnyDecider, type Staged } from './aggregates.js';
import type { DomainEvent } from './decider.js';
import type { NewEvent } from '../event.js';
import type { EventStore } from '../event-store.js';
import type { Folded } from './folded-states.js';

/** A command for one stream. */
export interface StreamCommand {
  readonly decider: AnyDecider;
  readonly command: unknown;
  readonly commandId: string;
  /** The fingerprint of what was asked for, if it may come again. */
  readonly contentFingerprint?: string;
  /**
   * Is called just before its events are appended.
   * @throws {MillraceError} the reason for a refusal
   */
  toAppend(this: void, decided: readonly DomainEvent[]): readonly NewEvent[];
}

/** The outcome of a command. */
export interface Outcome {
  /** The state of the aggregate after it. */
  readonly state: unknown;
  /** The position of the last event that the decision used, or of its own last event. */
  readonly position: bigint;
  /** The reason for the refusal. */
  readonly refusal?: unknown;
}

interface Waiting {
  readonly asked: StreamCommand;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/** The knowledge of a command that was carried out. */
type Trace = Pick<StreamCommand, 'contentFingerprint'>;

/** The decision on a command in a group, before its group is appended. */
type Decision = Omit<Outcome, 'position'>;

const TRIES = 10;
const BACKOFF_MS = { first: 2, most: 20 };
/** A group may have at most so many bytes, far below what a store takes in one append. */
const GROUP_MAX = { commands: 64, bytes: 128 * 1024 };

/**
 * Decides the commands for each stream one after the other, each on the state that the one before
 * leaves. Commands that arrive during an append are appended together, all or none. A command that
 * is refused or changes nothing is decided on the newest state: the append of its group proves that
 * nothing newer was there, or the stream is read again.
 */
export class StreamCommands {
  private readonly aggregates: Aggregates;
  /** These lines are no mutex of libs/flow: those that wait are decided together, as one group. */
  private readonly waiting = new Map<string, Waiting[]>();

  constructor(store: EventStore) {
    this.aggregates = new Aggregates(store);
  }

  /**
   * @throws {MillraceError} CONFLICT when other nodes are always faster; the errors of an append
   */
  run(stream: string, asked: StreamCommand): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const job = { asked, resolve, reject };
      const queue = this.waiting.get(stream);
      if (queue) queue.push(job);
      else {
        this.waiting.set(stream, [job]);
        void this.work(stream);
      }
    });
  }

  private async work(stream: string): Promise<void> {
    for (;;) {
      const queue = this.waiting.get(stream) ?? [];
      const decider = queue[0]?.asked.decider;
      if (!decider) break;
      const other = queue.findIndex(({ asked }) => asked.decider !== decider);
      const most = Math.min(GROUP_MAX.commands, other === -1 ? queue.length : other);
      const group = queue.splice(0, most);
      try {
        // Commands that do not fit into one append are first the next time.
        queue.unshift(...(await this.handle(stream, decider, group)));
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.waiting.delete(stream);
  }

  /** @returns the commands that were left for the next group */
  private async handle(
    stream: string,
    decider: AnyDecider,
    group: readonly Waiting[],
  ): Promise<readonly Waiting[]> {
    let folded = await this.aggregates.load(stream, decider);
    const backoff = new Backoff(BACKOFF_MS);
    for (let tries = TRIES; tries > 0; tries -= 1) {
      const { decisions, all } = await this.decideAll(stream, folded, group);
      const left = group.slice(decisions.length);
      let after: Folded<unknown> | undefined;
      try {
        after = await this.conclude(stream, decider, folded, all);
      } catch (error) {
        // The commands that are left were not in this append.
        for (const { reject } of group.slice(0, decisions.length)) reject(error);
        return left;
      }
      if (after) {
        const { position } = after;
        for (const [index, decision] of decisions.entries())
          group[index]?.resolve({ ...decision, position });
        return left;
      }
      await backoff.wait();
      folded = await this.aggregates.catchUp(stream, decider, folded);
    }
    throw new MillraceError(
      'CONFLICT',
      'others changed the same thing at the same time; try again',
      { retryAfterSeconds: 1 },
    );
  }

  /** @returns the state after it; undefined when there are newer events */
  private async conclude(
    stream: string,
    decider: AnyDecider,
    folded: Folded<unknown>,
    all: Staged,
  ): Promise<Folded<unknown> | undefined> {
    if (all.events.length > 0) return this.aggregates.append(stream, decider, folded, all);
    const newest = await this.aggregates.catchUp(stream, decider, folded);
    return newest.revision === folded.revision ? newest : undefined;
  }

  private async decideAll(
    stream: string,
    folded: Folded<unknown>,
    group: readonly Waiting[],
  ): Promise<{ readonly decisions: readonly Decision[]; readonly all: Staged }> {
    const decisions: Decision[] = [];
    let all: Staged = { events: [], bytes: 0, state: folded.state };
    const done = new Map<string, Trace>();
    for (const { asked } of group) {
      const { commandId } = asked;
      const trace =
        done.get(commandId) ?? (await this.aggregates.traceOf(stream, folded, commandId));
      const { decision, next } = trace ? repeated(asked, trace, all) : decide(asked, all);
      if (all.events.length > 0 && next.bytes > GROUP_MAX.bytes) break;
      if (next !== all) done.set(commandId, asked);
      all = next;
      const { state } = decision;
      decisions.push('refusal' in decision ? { state, refusal: decision.refusal } : { state });
    }
    return { decisions, all };
  }
}

/**
 * A command that comes again is answered with the current state, and is not decided on its own
 * effects. A trace from before fingerprints is taken for the same command's.
 */
function repeated(
  { contentFingerprint }: StreamCommand,
  trace: Trace,
  all: Staged,
): { readonly decision: Decision; readonly next: Staged } {
  const { contentFingerprint: first = contentFingerprint } = trace;
  if (first === contentFingerprint) return { decision: all, next: all };
  const refusal = new MillraceError(
    'CONFLICT',
    'this Idempotency-Key was sent with another request, which was carried out; use a new key for this one',
  );
  return { decision: { state: all.state, refusal }, next: all };
}

function decide(
  { decider, command, toAppend }: StreamCommand,
  before: Staged,
): { readonly decision: Decision; readonly next: Staged } {
  try {
    const decided = decider.decide(before.state, command);
    if (decided.length === 0) return { decision: before, next: before };
    const next = staged(decider, before, toAppend(decided));
    return { decision: next, next };
  } catch (refusal) {
    return { decision: { state: before.state, refusal }, next: before };
  }
}
