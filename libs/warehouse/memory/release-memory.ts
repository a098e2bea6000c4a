import { MessageChannel } from 'node:worker_threads';
import { countPassedBytes } from '@app/platform';

/** A port without a listener: memory that is transferred to it is freed. */
const { port1: nowhere } = new MessageChannel();
nowhere.close();

/**
 * Frees memory at once. If it were left to the garbage collector, blocks of a mebibyte each would
 * make it search all live objects every few blocks, and would stay until then. Memory that was
 * already freed is empty, and newer Node.js refuses to transfer it again.
 */
function free(buffer: ArrayBuffer): void {
  if (buffer.byteLength > 0) nowhere.postMessage(undefined, [buffer]);
}

/** Memory of which only the receiver of a chunk has a reference, to one chunk at a time. */
const handedOver = new WeakSet<ArrayBufferLike>();
/** Smaller blocks are left to the garbage collector. */
const WORTH_BYTES = 64 * 1024;

/** Gives the reader of a stream the whole memory behind a chunk of it. */
export function handOver(bytes: Uint8Array): void {
  if (bytes.byteLength >= WORTH_BYTES) handedOver.add(bytes.buffer);
}

/**
 * Frees the memory behind a chunk of a result, if it was handed over with the chunk; otherwise a
 * collection frees it soon. The caller must have sent the chunk to the last byte, and must not have
 * given it to others.
 */
export function releaseSentMemory(chunk: Uint8Array): void {
  const { buffer, byteLength } = chunk;
  if (buffer instanceof ArrayBuffer && handedOver.delete(buffer)) free(buffer);
  else countPassedBytes(byteLength);
}
