import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { openingRefused } from '../opening-refused.js';
import { callC, I32 } from '../child/libc.mjs';

const STDERR = 2;

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
    throw openingRefused(path, end() || 'it gives no reason', error);
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
