import { setTimeout as sleep } from 'node:timers/promises';
import { MillraceError } from './errors.js';

/** Resolves when the part works just now. */
export type Probe = () => void | Promise<unknown>;

type Facts = () => Readonly<Record<string, unknown>> | undefined;

interface Part {
  readonly probe: Probe;
  /** Since when it has been asked and has not answered. */
  asked?: Promise<string | undefined>;
  /** What it said, and when. */
  said?: { readonly reason: string | undefined; readonly at: number };
}

const PATIENCE_MS = 2000;
/** Everybody may ask; the stores need not hear of each. */
const KEPT_MS = 1000;

/**
 * Which parts of the program are not ready to serve, and why. Parts are asked when somebody wants
 * to know, each at most once a second, and none twice at a time.
 */
export class Readiness {
  private readonly waiting = new Map<string, string>();
  private readonly parts = new Map<string, Part>();
  private readonly telling = new Map<string, Facts>();

  notReady(part: string, why: string): void {
    this.waiting.set(part, why);
  }

  ready(part: string): void {
    this.waiting.delete(part);
  }

  /** What is said of a part beside that all is well, if anything. */
  tell(part: string, facts: Facts): void {
    this.telling.set(part, facts);
  }

  facts(): Readonly<Record<string, unknown>> {
    const told = [...this.telling].map(([part, facts]) => [part, facts()] as const);
    return Object.fromEntries(told.filter(([, facts]) => facts !== undefined));
  }

  /** Asks a part by its probe from now on. */
  watch(part: string, probe: Probe): void {
    this.parts.set(part, { probe });
  }

  /** @throws {MillraceError} SHUTTING_DOWN, NOT_READY, naming each part that is not. */
  async check(): Promise<void> {
    const stopping = [...this.waiting].map(([part, why]) => `${part}: ${why}`);
    if (stopping.length > 0) throw notReady('SHUTTING_DOWN', stopping);
    const reasons = await Promise.all(
      [...this.parts].map(async ([name, part]) => {
        const reason = await reasonOf(part);
        return reason === undefined ? [] : [`${name}: ${reason}`];
      }),
    );
    if (reasons.flat().length > 0) throw notReady('NOT_READY', reasons.flat());
  }
}

function notReady(kind: 'SHUTTING_DOWN' | 'NOT_READY', reasons: readonly string[]): MillraceError {
  return new MillraceError(kind, `not ready: ${reasons.join('; ')}`, { retryAfterSeconds: 1 });
}

/** @returns why the part is not ready, in words that everybody may read. */
async function reasonOf(part: Part): Promise<string | undefined> {
  if (part.said && performance.now() - part.said.at < KEPT_MS) return part.said.reason;
  part.asked ??= ask(part);
  const answered = new AbortController();
  const late = sleep(PATIENCE_MS, `does not answer within ${PATIENCE_MS / 1000} s`, {
    signal: answered.signal,
  }).catch(() => undefined);
  try {
    return await Promise.race([part.asked, late]);
  } finally {
    answered.abort();
  }
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
