// Makes sure that only one process at a time works on this tree. It uses built-in modules of
// Node.js only.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, constants, mkdirSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const TRY_AGAIN_MS = 100;
const NAME_LENGTH = 107;

/**
 * Runs work when no other process does any for the same folder. The lock is the kernel's: whatever
 * ends a process ends its lock, so none is ever found left over.
 */
export async function alone(folder, work) {
  const name = `millrace-${createHash('sha256').update(folder).digest('hex').slice(0, 32)}`;
  let told = false;
  for (;;) {
    const release = await tryLock(name);
    if (release) {
      try {
        return await work();
      } finally {
        release();
      }
    }
    if (!told) console.error('another process prepares this folder; waiting for it …');
    told = true;
    await sleep(TRY_AGAIN_MS);
  }
}

/** Returns the function that releases it; undefined while another process has it. */
const tryLock = (name) => (process.platform === 'linux' ? lockByName(name) : lockFile(name));

/** A name at which a process listens. It is in no file system, and ends with the process. */
async function lockByName(name) {
  // The name is as long as such a name can be: Node.js 20 fills a shorter one with zeros, and 24
  // does not.
  const server = createServer().listen({ path: `\0${name.padEnd(NAME_LENGTH, '-')}` });
  try {
    await once(server, 'listening');
  } catch (error) {
    if (error.code === 'EADDRINUSE') return undefined;
    throw error;
  }
  return () => server.close();
}

/** The number of the flag on macOS, which Node.js does not name. */
const O_EXLOCK = 0x20;
function lockFile(name) {
  const folder = join(tmpdir(), 'millrace-locks');
  mkdirSync(folder, { recursive: true });
  const { O_CREAT, O_RDWR, O_NONBLOCK } = constants;
  try {
    const file = openSync(join(folder, name), O_CREAT | O_RDWR | O_NONBLOCK | O_EXLOCK);
    return () => closeSync(file);
  } catch (error) {
    if (error.code === 'EAGAIN') return undefined;
    throw error;
  }
}
