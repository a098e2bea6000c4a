import { within } from '@app/flow';
import { MillraceError } from '../errors/errors.js';

/** Resolves when the component works just now. */
export type Probe = () => void | Promise<unknown>;

type Facts = () => Readonly<Record<string, unknown>> | undefined;

interface Component {
  readonly probe: Probe;
  /** The current question, if its answer is still open. */
  asked?: Promise<string | undefined>;
  /** The last answer of the probe, and its time. */
  said?: { readonly reason: string | undefined; readonly at: number };
}

const MAX_WAIT_MS = 2000;
/** Anybody may ask for readiness, so not every request must reach the stores. */
const KEPT_MS = 1000;

/** The answer of a program that is ready. */
export type ReadyState = Readonly<Record<string, unknown>> & { readonly status: 'ok' };

/**
 * Tells which components of the program are not ready to serve, and why. Components are asked when somebody wants
 * to know, each at most once a second, and none twice at a time. A program that does several things
 * is ready while it can do one of them: what it cannot do it answers itself, with what to do, and
 * a proxy that took every node away would refuse the rest as well.
 */
export class Readiness {
  private readonly waiting = new Map<string, string>();
  private readonly components = new Map<string, Component>();
  private readonly telling = new Map<string, Facts>();
  /** The components that each function of the program needs. */
  private readonly purposes = new Map<string, readonly string[]>();

  notReady(component: string, why: string): void {
    this.waiting.set(component, why);
  }

  ready(component: string): void {
    this.waiting.delete(component);
  }

  /** Adds facts about a component to the answer of a ready program. */
  tell(component: string, facts: Facts): void {
    this.telling.set(component, facts);
  }

  /** Asks a component by its probe from now on. */
  watch(component: string, probe: Probe): void {
    this.components.set(component, { probe });
  }

  /**
   * The program can do this while these components are ready. A program without named functions
   * needs all components.
   */
  serves(purpose: string, components: readonly string[]): void {
    this.purposes.set(purpose, components);
  }

  /** Each component's reason for not being ready; undefined: it is. */
  async states(): Promise<ReadonlyMap<string, string | undefined>> {
    const asked = [...this.components].map(
      async ([name, component]) => [name, await reasonOf(component)] as const,
    );
    return new Map(await Promise.all(asked));
  }

  /**
   * Gives the facts of a ready program. `away` names its components that are not ready.
   * @throws {MillraceError} SHUTTING_DOWN, NOT_READY, naming each component that is not.
   */
  async check(): Promise<ReadyState> {
    const stopping = [...this.waiting].map(([component, why]) => `${component}: ${why}`);
    if (stopping.length > 0) throw notReady('SHUTTING_DOWN', stopping);
    const away = [...(await this.states())].flatMap(([component, reason]) =>
      reason === undefined ? [] : [[component, reason] as const],
    );
    const missing = new Set(away.map(([component]) => component));
    const purposes = this.purposes.size > 0 ? [...this.purposes.values()] : [[...missing]];
    if (!purposes.some((components) => components.every((component) => !missing.has(component))))
      throw notReady(
        'NOT_READY',
        away.map(([component, reason]) => `${component}: ${reason}`),
      );
    const told = [...this.telling].map(([component, facts]) => [component, facts()] as const);
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

/** @returns why the component is not ready, in words that everybody may read. */
async function reasonOf(component: Component): Promise<string | undefined> {
  if (component.said && performance.now() - component.said.at < KEPT_MS)
    return component.said.reason;
  component.asked ??= ask(component);
  return within(
    MAX_WAIT_MS,
    component.asked,
    () => `does not answer within ${MAX_WAIT_MS / 1000} s`,
  );
}

async function ask(component: Component): Promise<string | undefined> {
  const reason = await Promise.resolve()
    .then(component.probe)
    .then(
      () => undefined,
      // Messages of drivers may contain addresses and passwords.
      (error: unknown) =>
        error instanceof MillraceError ? error.message : 'it cannot be reached just now',
    );
  component.said = { reason, at: performance.now() };
  delete component.asked;
  return reason;
}
