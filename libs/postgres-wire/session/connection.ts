import type { Socket } from 'node:net';
import type { Logger } from '@app/platform';
import { BodyReader, utf8 } from '../protocol/body-reader.js';
import { BOUNDS } from '../protocol/postgres-bounds.js';
import { MessageReader, type Message } from '../protocol/message-reader.js';
import { MessageWriter } from '../protocol/message-writer.js';
import { PostgresError, violation } from '../protocol/protocol-error.js';
import { SCRAM, ScramExchange } from '../protocol/scram.js';
import { readStartup } from '../protocol/startup.js';
import { REPORTED } from '../statements/session-settings.js';
import type { PostgresDoor } from '../postgres-door.js';
import type { Answering } from './answering.js';
import type { CancelKey, Connections } from './connections.js';
import { toPostgresError } from './postgres-failure.js';
import { Session, type Output } from './session.js';

interface ConnectionTerms {
  readonly door: PostgresDoor;
  /** Returns the component that answers this user's statements in this database. */
  readonly answering: (user: string, database: string) => Answering;
  readonly connections: Connections;
  readonly logger: Logger;
  readonly key: CancelKey;
}

const [OK, SASL, SASL_CONTINUE, SASL_FINAL] = [0, 10, 11, 12];
const DEFAULT_DATABASE = 'postgres';

/** The connection of one client, from its first byte to its last. */
export class Connection implements Output {
  readonly writer = new MessageWriter();
  private readonly reader = new MessageReader();
  private session: Session | undefined;
  private wake: (() => void) | undefined;
  private isOver = false;

  constructor(
    private readonly socket: Socket,
    private readonly terms: ConnectionTerms,
  ) {
    socket.setNoDelay(true);
    socket.setKeepAlive(true);
    socket.on('data', (chunk: Buffer) => this.heard(chunk));
    socket.on('error', () => socket.destroy());
    socket.once('end', () => this.over());
    socket.once('close', () => this.over());
  }

  /** Tells whether the client has authenticated. */
  get isStarted(): boolean {
    return this.session !== undefined;
  }

  cancel(): void {
    this.session?.cancel();
  }

  /** Tells the client that the server stops, and leaves. */
  stop(): void {
    if (!this.isOver && this.session) {
      const farewell = new MessageWriter().error(new PostgresError('57P01', 'terminating connection due to administrator command', { severity: 'FATAL' })); // prettier-ignore
      this.socket.write(farewell.take());
    }
    this.over();
    this.socket.destroySoon();
  }

  /** Answers until the client leaves. Never throws. */
  async serve(): Promise<void> {
    const late = setTimeout(() => this.socket.destroy(), BOUNDS.startupSeconds * 1000).unref();
    try {
      const session = await this.start();
      clearTimeout(late);
      if (session) await this.converse(session);
    } catch (error) {
      const failure = toPostgresError(error);
      if (failure.state === 'XX000') this.terms.logger.error({ err: error }, 'a client of PostgreSQL'); // prettier-ignore
      if (!this.isOver) await this.farewell(failure);
    } finally {
      clearTimeout(late);
      this.over();
      this.socket.destroySoon();
    }
  }

  async flush(): Promise<void> {
    if (this.writer.length === 0 || this.isOver) return;
    if (this.socket.write(this.writer.take())) return;
    const late = setTimeout(() => this.socket.destroy(), BOUNDS.takeSeconds * 1000);
    await new Promise<void>((resolve) => {
      const taken = (): void => {
        this.socket.off('drain', taken).off('close', taken);
        resolve();
      };
      this.socket.on('drain', taken).on('close', taken);
    });
    clearTimeout(late);
  }

  private async converse(session: Session): Promise<void> {
    for (let message = await this.next(); message; message = await this.next()) {
      if (message.type === 'X') return;
      await session.answer(message);
      if (this.isOver) return;
    }
  }

  /**
   * @returns undefined if the connection served another purpose, such as a cancel request.
   * @throws {PostgresError} FATAL
   */
  private async start(): Promise<Session | undefined> {
    let refused = 0;
    for (let first = await this.next(); first; first = await this.next()) {
      const startup = readStartup(first.body);
      if (startup.kind === 'cancel') {
        this.terms.connections.cancel(startup);
        return undefined;
      }
      if (startup.kind === 'session') return this.admit(startup.parameters, startup.minor);
      // A client that takes no answers would have each of them kept.
      if (refused === BOUNDS.encryptions) throw violation('encryption is asked for again');
      refused += 1;
      this.socket.write('N');
    }
    return undefined;
  }

  private async admit(
    parameters: ReadonlyMap<string, string>,
    minor: number,
  ): Promise<Session | undefined> {
    this.reader.start();
    const unknown = [...parameters.keys()].filter((name) => name.startsWith('_pq_.'));
    if (minor > 0 || unknown.length > 0) this.negotiate(unknown);
    const user = parameters.get('user') ?? '';
    if (user === '') throw new PostgresError('28000', 'no user is named', { severity: 'FATAL' });
    if (!(await this.authenticate(user))) return undefined;
    if (this.terms.connections.isFull) throw tooMany();
    this.reader.admit();
    const named = parameters.get('database') ?? '';
    const database = named === '' ? DEFAULT_DATABASE : named;
    const session = new Session(this.terms.answering(user, database), this);
    session.begin(parameters);
    this.session = session;
    const { writer, terms } = this;
    writer.begin('R').int32(OK).end();
    for (const [name, value] of Object.entries(REPORTED)) writer.parameterStatus(name, value);
    writer.parameterStatus('session_authorization', user);
    writer.parameterStatus('application_name', parameters.get('application_name')?.slice(0, 63) ?? ''); // prettier-ignore
    writer.begin('K').int32(terms.key.process).int32(terms.key.secret).end();
    writer.ready('I');
    await this.flush();
    return session;
  }

  private negotiate(unknown: readonly string[]): void {
    this.writer.begin('v').int32(3 << 16).int32(unknown.length); // prettier-ignore
    for (const name of unknown) this.writer.text(name);
    this.writer.end();
  }

  /** @returns whether the client has continued. @throws {PostgresError} FATAL */
  private async authenticate(user: string): Promise<boolean> {
    const verifier = await this.terms.door.verifier(user);
    if (!verifier) return true;
    const exchange = new ScramExchange(verifier);
    this.writer
      .begin('R')
      .int32(SASL)
      .text(SCRAM)
      .bytes(Buffer.from([0]))
      .end();
    await this.flush();
    const first = await this.password();
    if (!first) return false;
    const reader = new BodyReader(first);
    if (reader.text() !== SCRAM) throw violation(`${SCRAM} is the way to authenticate here`);
    const begun = exchange.begin(utf8(reader.bytes(reader.int32())));
    this.writer.begin('R').int32(SASL_CONTINUE).bytes(Buffer.from(begun)).end();
    await this.flush();
    const last = await this.password();
    if (!last) return false;
    const proof = exchange.finish(utf8(last));
    this.writer.begin('R').int32(SASL_FINAL).bytes(Buffer.from(proof)).end();
    return true;
  }

  private async password(): Promise<Buffer | undefined> {
    const message = await this.next();
    if (message && message.type !== 'p' && message.type !== 'X')
      throw violation('a password is expected, and nothing else');
    return message?.type === 'p' ? message.body : undefined;
  }

  private heard(chunk: Buffer): void {
    this.reader.add(chunk);
    if (this.reader.waiting > BOUNDS.waitingBytes && !this.wake) this.socket.pause();
    this.wake?.();
  }

  /** The next message; undefined when the client has left. */
  private async next(): Promise<Message | undefined> {
    for (;;) {
      const message = this.reader.next();
      if (message || this.isOver) return message;
      this.socket.resume();
      await new Promise<void>((resolve) => (this.wake = resolve));
      this.wake = undefined;
    }
  }

  private over(): void {
    this.isOver = true;
    this.session?.close();
    this.wake?.();
  }

  private async farewell(failure: PostgresError): Promise<void> {
    const { state, message } = failure;
    this.writer.error(new PostgresError(state, message, { severity: 'FATAL' }));
    await this.flush();
  }
}

const tooMany = (): PostgresError =>
  new PostgresError(
    '53300',
    `sorry, too many clients already: at most ${BOUNDS.connections} may be connected`,
    { severity: 'FATAL' },
  );
