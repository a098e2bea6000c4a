import { within } from '@app/flow';
import { MillraceError } from '../errors/errors.js';

/** Resolves when the part works just now. */
export type Probe = () => void | Promise<unknown>;

type Facts = () => Readonly<Record<string, unknown>> | undefined;

interface Part {
  readonly probe: Probe;
  /** Since when it has been asked and has not answered. */
  asked?: Promise<string | undefined>;
  /** The last answer of the probe, and its time. */
  said?: { readonly reason: string | undefined; readonly at: number };
}

const MAX_WAIT_MS = 2000;
/** Everybody may ask; the stores need not hear of each. */
const KEPT_MS = 1000;

/** The answer of a program that is ready. */
export type ReadyState = Readonly<Record<string, unknown>> & { readonly status: 'ok' };

/**
 * Which parts of the program are not ready to serve, and why. Parts are asked when somebody wants
 * to know, each at most once a second, and none twice at a time. A program that does several things
 * is ready while it can do one of them: what it cannot do it answers itself, with what to do, and
 * a proxy that took every node away would refuse the rest as well.
 */
export class Readiness {
  private readonly waiting = new Map<string, string>();
  private readonly parts = new Map<string, Part>();
  private readonly telling = new Map<string, Facts>();
  /** Parts that each thing needs which the program does. */
  private readonly purposes = new Map<string, readonly string[]>();

  notReady(part: string, why: string): void {
    this.waiting.set(part, why);
  }

  ready(part: string): void {
    this.waiting.delete(part);
  }

  /** Adds facts about a part to the answer that all is well. */
  tell(part: string, facts: Facts): void {
    this.telling.set(part, facts);
  }

  /** Asks a part by its probe from now on. */
  watch(part: string, probe: Probe): void {
    this.parts.set(part, { probe });
  }

  /** The program does this as long as these parts are ready. Where it does nothing in particular it needs all parts. */
  serves(purpose: string, parts: readonly string[]): void {
    this.purposes.set(purpose, parts);
  }

  /** Each part's reason for not being ready; undefined: it is. */
  async states(): Promise<ReadonlyMap<string, string | undefined>> {
    const asked = [...this.parts].map(
      async ([name, part]) => [name, await reasonOf(part)] as const,
    );
    return new Map(await Promise.all(asked));
  }

  /**
   * Gives the facts of a ready program. `away` names its parts that are not ready.
   * @throws {MillraceError} SHUTTING_DOWN, NOT_READY, naming each part that is not.
   */
  async check(): Promise<ReadyState> {
    const stopping = [...this.waiting].map(([part, why]) => `${part}: ${why}`);
    if (stopping.length > 0) throw notReady('SHUTTING_DOWN', stopping);
    const away = [...(await this.states())].flatMap(([part, reason]) =>
      reason === undefined ? [] : [[part, reason] as const],
    );
    const missing = new Set(away.map(([part]) => part));
    const purposes = this.purposes.size > 0 ? [...this.purposes.values()] : [[...missing]];
    if (!purposes.some((parts) => parts.every((part) => !missing.has(part))))
      throw notReady(
        'NOT_READY',
        away.map(([part, reason]) => `${part}: ${reason}`),
      );
    const told = [...this.telling].map(([part, facts]) => [part, facts()] as const);
    return {
      status: 'ok',
      ...(away.length > 0 ? { away: Object.fromEntries(away) } : {}),
      ...Object.fromEntries(told.filter(([, facts]) => facts !== undefined)),
    };
  }
}

function notReady(kind: 'SHUTTING_DOWN' | 'NOT_READY', reasons: readonly string[]): MillraceError {
  return new MillraceError(kind, `not ready: ${reasons.join('; ')}`, { retryAfterSeconds: 1 });
}

/** @returns why the part is not ready, in words that everybody may read. */
async function reasonOf(part: Part): Promise<string | undefined> {
  if (part.said && performance.now() - part.said.at < KEPT_MS) return part.said.reason;
  part.asked ??= ask(part);
  return within(MAX_WAIT_MS, part.asked, () => `does not answer within ${MAX_WAIT_MS / 1000} s`);
}

async function ask(part: Part): Promise<string | undefined> {
  const reason = await Promise.resolve()
    .then(part.probe)
    .then(
      () => undefined,
      // Drivers' words may hold addresses and passwords.
      (error: unknown) =>
        error instanceof MillraceError ? error.message : 'it cannot be reached just now',
    );
  part.said = { reason, at: performance.now() };
  delete part.asked;
  return reason;
}
