import { createHash } from 'node:crypto';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '@app/flow';
import { CliError, EXIT } from './exit-code.js';
import type { OwnSlice, Slice } from './cut/slice.js';
import { tlsFailure } from './tls-failure.js';

/**
 * When no byte moves on the connection for so long, the attempt is given up, and the slice is sent
 * again.
 */
const IDLE_MS = 5 * 60_000;
/**
 * The client gives up after so many attempts when the server has never answered: most likely no
 * server is there.
 */
const FIRST_ATTEMPTS_MAX = 4;
/** A server that answered before may restart, or be busy, for so long. */
const MAX_WAIT_MS = 10 * 60_000;
const BACKOFF_MS = { first: 500, most: 30_000 };
/** Calls that fail before a request is sent. */
const CONNECTING: ReadonlySet<string> = new Set(['connect', 'getaddrinfo']);
const TRY_AGAIN: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

export interface Target {
  readonly url: URL;
  readonly org: string;
  readonly stream: string;
  readonly wait: boolean;
  readonly user: string;
  readonly password: string;
  /** The upload's id, which every slice's idempotency key contains. */
}

export interface SliceOutcome {
  readonly successful: number;
  readonly failed: number;
  /** The first reason. */
  readonly error?: string;
}

interface PauseListener {
  pause(reason: string, milliseconds: number): void;
}

/** Sends slices, as often as it takes; the server stores each once, by its idempotency key. */
export class SliceSender {
  private readonly agent: HttpAgent;
  /** The server has answered at least once. */
  private answered = false;
  private storedAny = false;

  /**
   * @param listener is told why and for how many milliseconds it waits
   * @param stop ends waiting; what is on its way still arrives
   */
  constructor(
    private readonly target: Target,
    private readonly listener: PauseListener,
    private readonly stop: AbortSignal,
  ) {
    const options = { keepAlive: true };
    this.agent =
      target.url.protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
  }

  /** @throws {CliError} */
  async send(slice: OwnSlice): Promise<SliceOutcome> {
    const begun = performance.now();
    const backoff = new Backoff(BACKOFF_MS);
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.attempt(slice).catch((error: NodeJS.ErrnoException) => {
        if (error instanceof CliError) throw error;
        const failure = tlsFailure(error, this.target.url);
        if (failure) throw failure;
        return unanswered(error);
      });
      this.answered ||= answer.sent;
      this.storedAny ||= mayHaveStored(answer);
      if (answer.status === 200) return outcomeOf(answer.body);
      const reason = reasonOf(answer);
      if (answer.status !== 0 && !TRY_AGAIN.has(answer.status))
        throw refused(slice, answer, reason);
      const patient = this.answered
        ? performance.now() - begun < MAX_WAIT_MS
        : attempt < FIRST_ATTEMPTS_MAX;
      if (!patient) throw new CliError(EXIT.unavailable, `${this.target.url.origin}: ${reason}`);
      // The loop goes on even if the server has said how long to wait.
      const own = backoff.take();
      await this.pause(reason, askedMs(answer) ?? own);
    }
  }

  /** Tells whether the server may have stored anything. */
  get mayHaveStored(): boolean {
    return this.storedAny;
  }

  close(): void {
    this.agent.destroy();
  }

  private async pause(reason: string, milliseconds: number): Promise<void> {
    this.listener.pause(reason, milliseconds);
    try {
      await sleep(milliseconds, undefined, { signal: this.stop });
    } catch {
      throw new CliError(EXIT.interrupted, 'interrupted');
    }
  }

  private async attempt(slice: OwnSlice): Promise<Answer> {
    const { content, length } = await slice.open();
    const sent = this.request(slice, length);
    const answered = new Promise<Answer>((resolve, reject) => {
      sent.on('response', (response: IncomingMessage) => {
        text(response).then((body) => {
          const { statusCode = 0, headers } = response;
          resolve({ status: statusCode, body, retryAfter: headers['retry-after'], sent: true });
        }, reject);
      });
      sent.on('error', reject);
      sent.on('timeout', () => sent.destroy(new Error('nothing came for five minutes')));
    });
    if (content instanceof Uint8Array) {
      sent.end(content);
      return answered;
    }
    // The server may answer before it has read all: then the rest cannot be sent.
    const sending = pipeline(Readable.from(content), sent).catch((error: NodeJS.ErrnoException) =>
      answered.catch(() => {
        throw readFailure(error) ?? error;
      }),
    );
    const [answer] = await Promise.all([answered, sending]);
    return answer;
  }

  private request(slice: OwnSlice, length: number | undefined) {
    const { url, org, stream, user, password, wait } = this.target;
    const path = `api/${encodeURIComponent(org)}/${encodeURIComponent(stream)}/${slice.route}`;
    const to = new URL(path, url.href.endsWith('/') ? url : `${url.href}/`);
    for (const [name, value] of Object.entries(slice.query)) to.searchParams.set(name, value);
    if (wait) to.searchParams.set('wait', 'true');
    const request = to.protocol === 'https:' ? httpsRequest : httpRequest;
    return request(to, {
      method: 'POST',
      agent: this.agent,
      timeout: IDLE_MS,
      auth: `${user}:${password}`,
      headers: {
        'content-type': slice.contentType,
        'user-agent': 'millrace-cli',
        'idempotency-key': this.keyOf(slice),
        ...(length === undefined ? {} : { 'content-length': length }),
        ...(slice.contentEncoding ? { 'content-encoding': slice.contentEncoding } : {}),
      },
    });
  }

  private keyOf({ uploadId, name, offset, digest, route }: OwnSlice): string {
    const { stream } = this.target;
    return createHash('sha256')
      .update(JSON.stringify([uploadId, stream, route, name, offset, digest]))
      .digest('base64url');
  }
}

interface Answer {
  /** The value is 0 if there was no answer. */
  readonly status: number;
  readonly body: string;
  readonly retryAfter: string | undefined;
  /** Tells whether a server may have got the request. */
  readonly sent: boolean;
}

function unanswered({ code, message, syscall = '' }: NodeJS.ErrnoException): Answer {
  return {
    status: 0,
    body: code ?? message,
    retryAfter: undefined,
    sent: !CONNECTING.has(syscall),
  };
}

function mayHaveStored({ status, sent }: Answer): boolean {
  return status === 0 ? sent : status === 200 || status >= 500;
}

function outcomeOf(body: string): SliceOutcome {
  const { status } = JSON.parse(body) as { status: SliceOutcome[] };
  const sum = (count: (each: SliceOutcome) => number): number =>
    status.reduce((total, each) => total + count(each), 0);
  const error = status.find((each) => each.error !== undefined)?.error;
  return {
    successful: sum((each) => each.successful),
    failed: sum((each) => each.failed),
    ...(error === undefined ? {} : { error }),
  };
}

function reasonOf({ status, body }: Answer): string {
  if (status === 0) return `cannot be reached (${body})`;
  try {
    return `${status}: ${(JSON.parse(body) as { message: string }).message}`;
  } catch {
    return String(status);
  }
}

function refused({ name, offset }: Slice, { status }: Answer, reason: string): CliError {
  const ofSlice = status !== 401 && status !== 403 && status !== 404;
  if (status === 401)
    return new CliError(
      EXIT.refused,
      `${reason}; here they are --user, or MILLRACE_USER, and MILLRACE_PASSWORD`,
    );
  return new CliError(EXIT.refused, ofSlice ? `${name}, from byte ${offset}: ${reason}` : reason);
}

/** A file that cannot be read is no fault of the network. */
function readFailure({ syscall, message }: NodeJS.ErrnoException): CliError | undefined {
  return syscall === 'read' || syscall === 'open' ? new CliError(EXIT.usage, message) : undefined;
}

/** The milliseconds after which the server wants the next attempt, if it says so. */
function askedMs({ retryAfter }: Answer): number | undefined {
  const asked = Number(retryAfter) * 1000;
  return asked >= 0 ? asked : undefined;
}
