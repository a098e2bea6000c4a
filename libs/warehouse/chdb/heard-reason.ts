import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { callC, I32 } from './libc.mjs';

const STDERR = 2;
const REASON_LENGTH_MAX = 600;

/** Somebody has the engine's lock on its directory. */
const IN_USE = /Cannot lock file/;

/**
 * Opens an engine on a directory. Why it cannot be opened the library writes to stderr, past
 * Node.js, and tells nobody; here it is heard.
 * @param file written meanwhile, gone after
 * @throws an error that says why
 */
export function openHearing<Opened>(path: string, file: string, openEngine: () => Opened): Opened {
  const end = hear(file);
  try {
    const opened = openEngine();
    end();
    return opened;
  } catch (error) {
    throw new Error(messageOf(path, end()), { cause: error });
  }
}

/** @returns what ends it, passes on what was heard, and tells it */
function hear(file: string): () => string {
  const heard = openSync(file, 'w');
  const stderr = callC('dup', [I32], [STDERR]);
  callC('dup2', [I32, I32], [heard, STDERR]);
  return () => {
    callC('dup2', [I32, I32], [stderr, STDERR]);
    closeSync(stderr);
    closeSync(heard);
    const said = readFileSync(file, 'utf8').trim();
    rmSync(file, { force: true });
    if (said !== '') writeSync(STDERR, `${said}\n`);
    return said;
  };
}

function messageOf(path: string, said: string): string {
  if (IN_USE.test(said)) return `the data directory ${path} is in use by another process`;
  const reason = said === '' ? 'it gives no reason' : said.slice(0, REASON_LENGTH_MAX);
  return `the engine cannot open the data directory ${path}: ${reason}`;
}
