import { MessageChannel } from 'node:worker_threads';

/** A port that nobody hears: what is handed over to it is gone. */
const { port1: nowhere } = new MessageChannel();
nowhere.close();

/**
 * Frees memory at once. Left to the collector, blocks of a mebibyte each make it look through all
 * that lives every few of them, and wait there until then. Memory that is free already is empty, and
 * newer Node.js refuses to hand it over again.
 */
function free(buffer: ArrayBuffer): void {
  if (buffer.byteLength > 0) nowhere.postMessage(undefined, [buffer]);
}

/** Memory that only who is given a part of it knows, and never more than one part. */
const handedOver = new WeakSet<ArrayBufferLike>();
/** Less is left to the collector. */
const WORTH_BYTES = 64 * 1024;

/**
 * Gives the whole memory behind these bytes to the reader of the stream that they are a chunk of.
 */
export function handOver(bytes: Uint8Array): void {
  if (bytes.byteLength >= WORTH_BYTES) handedOver.add(bytes.buffer);
}

/**
 * Frees the memory behind a chunk of a result, if it was handed over with the chunk. The caller
 * must have sent the chunk to the last byte, and must not have given it to others.
 */
export function releaseSentMemory(chunk: Uint8Array): void {
  const { buffer } = chunk;
  if (buffer instanceof ArrayBuffer && handedOver.delete(buffer)) free(buffer);
}
