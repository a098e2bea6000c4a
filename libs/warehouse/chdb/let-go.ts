import { MessageChannel } from 'node:worker_threads';

/** A port that nobody hears: what is handed over to it is gone. */
const { port1: nowhere } = new MessageChannel();
nowhere.close();

/**
 * Frees the memory behind bytes at once; they are empty afterwards. Left to the collector, blocks of
 * a mebibyte each make it look through all that lives every few of them, and wait there until then.
 */
export function letGo(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength)
    nowhere.postMessage(undefined, [buffer]);
}
