import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { openingRefused } from '../opening-refused.js';
import { callC, I32 } from '../child/libc.mjs';

const STDERR = 2;

/**
 * Opens an engine on a directory. If that fails, the library writes the reason only to stderr, past
 * Node.js; this reads it there.
 * @param file is written meanwhile, and deleted afterwards
 * @throws an error with the reason
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

/** @returns a function that ends it, passes on the text so far, and returns it */
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
