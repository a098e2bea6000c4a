import { isLocked } from '../../opening-refused.js';
import { EngineStartError } from '../start-error.js';

/** The definition that keeps the engine from starting, by the engine's message. */
const NAMED = /metadata file (store\/[0-9a-f]{3}\/([0-9a-f-]{36})\/([\w%]+)\.sql)/;
const CODES = /\bCode: (\d+)\./g;
/** Error numbers for what the machine has not got: memory, threads, or room on the disk. */
const OF_MACHINE = new Set([173, 241, 243, 439]);
/** The system's words for the same, and for more open files than it allows. No table is at fault. */
const OF_SYSTEM =
  /Cannot allocate memory|Too many open files|No space left on device|Disk quota exceeded|Read-only file system|Resource temporarily unavailable/;
/** A process that is at fault itself ends by one of these; by others somebody ends it. */
const CRASHES: ReadonlySet<string | null> = new Set(['SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGSEGV', 'SIGTRAP']); // prettier-ignore

interface NamedDefinition {
  /** Within the engine's folder. */
  readonly path: string;
  /** The database's. */
  readonly uuid: string;
  readonly table: string;
}

const codeOf = (message: string): string | undefined => [...message.matchAll(CODES)].at(-1)?.[1];

const isOfMachine = (message: string): boolean =>
  OF_MACHINE.has(Number(codeOf(message))) || OF_SYSTEM.test(message);

/** @returns undefined where the message names none, and where the machine is at fault */
export function namedDefinition(message: string): NamedDefinition | undefined {
  const [, path, uuid = '', name = ''] = NAMED.exec(message) ?? [];
  if (path === undefined || isOfMachine(message)) return undefined;
  return { path, uuid, table: decodeURIComponent(name) };
}

/** Tells whether a table may be at fault that the engine has not named: it crashed, or did not say. */
export function mayBeUnnamed(error: unknown): boolean {
  if (!(error instanceof EngineStartError)) return false;
  const { message, signal } = error;
  if (CRASHES.has(signal)) return true;
  return codeOf(message) !== undefined && !isLocked(message) && !isOfMachine(message);
}
