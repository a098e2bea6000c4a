import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * V8 lets buffers take 64 MiB until it looks at all objects of the program, but much less while the
 * program has few objects. At 16 MiB it still did so five times for 80 MB, in a server that had
 * just been started.
 */
const COLLECTED_BYTES = 4 * 1024 * 1024;

type Collect = (options: { readonly type: 'minor' }) => void;

/** The flag only counts for contexts that are made after it. */
function exposedCollector(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}

let collect: Collect | undefined;
let passed = 0;

/**
 * Must be called with the bytes of a body that have just been read. Their buffers are dead as soon
 * as the bytes are written elsewhere, but V8 does not look for dead buffers until they make it
 * search all objects, four times for 80 MB, which costs half as much processor time as the upload
 * of these bytes. A collection of the young objects alone takes a millisecond, and frees them.
 */
export function countPassedBytes(bytes: number): void {
  passed += bytes;
  if (passed < COLLECTED_BYTES) return;
  passed = 0;
  collect ??= exposedCollector();
  collect({ type: 'minor' });
}
