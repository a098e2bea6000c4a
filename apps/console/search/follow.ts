import { ApiFailure, apiOf, request, wordsOf } from '../api/request.js';
import { EventStream } from './event-stream.js';

export interface Followed {
  readonly organization: string;
  readonly stream: string;
  /** It is SQL, and empty for all rows. */
  readonly condition: string;
  /** This many of the newest rows come first. */
  readonly rows: number;
}

interface Listener {
  /**
   * Is called when the tail begins. It may begin again from the start; the rows shown before are
   * then not continued.
   */
  begins(): void;
  /** Is called with the JSON of each row, the oldest first. */
  row(line: string): void;
  /** Is called with the reason while no rows come, and with undefined when they come again. */
  waits(reason: string | undefined): void;
}

const RETRY_MS = 2000;
/** After these reasons, connecting again is useless. */
const FINAL = new Set(['refused', 'deleted', 'failed']);

/** The server has ended the tail, and a new connection is useless. */
export class TailEnded extends Error {}

/**
 * Follows new rows of a stream. After a broken connection it goes on behind the last event, so that
 * no row is left out and none comes twice.
 * @throws {ApiFailure} @throws {TailEnded} when there is nothing more to wait for
 */
export async function follow(
  followed: Followed,
  listener: Listener,
  signal: AbortSignal,
): Promise<void> {
  const { organization, stream, condition, rows } = followed;
  const values = new URLSearchParams({ filter: condition, rows: String(rows) });
  const path = `${apiOf(organization)}/${encodeURIComponent(stream)}/_tail?${values.toString()}`;
  let id = '';
  let retry = RETRY_MS;
  while (!signal.aborted) {
    if (id === '') listener.begins();
    const events = new EventStream(id);
    try {
      const response = await request(path, {
        accept: 'text/event-stream',
        signal,
        ...(id === '' ? {} : { headers: { 'Last-Event-ID': id } }),
      });
      listener.waits(undefined);
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
        for (const { event, data, retry: told } of events.read(read.value)) {
          retry = told ?? retry;
          if (event === 'message') listener.row(data);
          else if (event === 'end') endOf(data);
        }
        id = events.id;
      }
      listener.waits('The connection has ended; it is made again.');
    } catch (error) {
      id = events.id;
      if (signal.aborted) return;
      if (error instanceof TailEnded || isFinal(error)) throw error;
      listener.waits(`${wordsOf(error)} It is tried again.`);
    }
    await pause(retry, signal);
  }
}

/**
 * Gives one event to its reader.
 * @throws {TailEnded}
 */
function endOf(data: string): void {
  const { reason, message } = JSON.parse(data) as { reason: string; message: string };
  if (FINAL.has(reason)) throw new TailEnded(message);
}

/**
 * The server will refuse later what it refuses now, except for too many requests and its own
 * failures.
 */
const isFinal = (error: unknown): boolean =>
  error instanceof ApiFailure && error.status < 500 && error.status !== 429;

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(late);
      resolve();
    });
  });
}
