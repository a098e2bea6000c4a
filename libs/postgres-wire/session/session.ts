import type { Message } from '../protocol/message-reader.js';
import type { MessageWriter, TransactionStatus } from '../protocol/message-writer.js';
import { BOUNDS } from '../protocol/bounds.js';
import {
  readBind,
  readExecute,
  readNamed,
  readParse,
  readText,
  type Format,
} from '../protocol/front-messages.js';
import { PostgresError, violation } from '../protocol/protocol-error.js';
import { statementsOf, type StatementText } from '../statements/postgres-tokens.js';
import { SessionSettings } from '../statements/session-settings.js';
import { fieldOf, postgresType } from '../types/postgres-type.js';
import { formatsOf } from '../protocol/front-messages.js';
import { NO_VALUES, type Answering, type Values } from './answering.js';
import { toPostgresError } from './failure.js';
import { KeptStatements } from './kept-statements.js';
import { Portals } from './portals.js';
import { NOTHING, type PreparedStatement } from './prepared-statement.js';
import { noRows, oneText, type Rows } from './rows.js';

/** Where a session writes to. */
export interface Output {
  readonly writer: MessageWriter;
  /** Sends what was written, and waits until the client takes it. */
  flush(): Promise<void>;
}

/** What one client has said since it began, and what it is answered. */
export class Session {
  private readonly statements = new KeptStatements();
  private readonly portals = new Portals();
  private readonly settings = new SessionSettings();
  private status: TransactionStatus = 'I';
  /** After a failure, what comes before the next Sync is passed over. */
  private isPassing = false;
  /** Ends what runs. */
  private end: (() => void) | undefined;
  /** The text that places of mistakes are in. */
  private said = '';

  constructor(
    private readonly answering: Answering,
    private readonly output: Output,
  ) {}

  begin(parameters: ReadonlyMap<string, string>): void {
    this.settings.set('application_name', parameters.get('application_name') ?? '');
  }

  /** Ends the statement that runs, if one does. */
  cancel(): void {
    this.end?.();
  }

  close(): void {
    this.cancel();
    this.portals.closeAll();
  }

  /** Answers one message. @throws {PostgresError} FATAL */
  async answer({ type, body }: Message): Promise<void> {
    if (type === 'S') return this.sync();
    if (this.isPassing && type !== 'Q') return;
    try {
      await this.answerOne(type, body);
    } catch (error) {
      const failure = toPostgresError(error);
      if (failure.severity === 'FATAL') throw failure;
      this.fail(failure);
      if (type === 'Q') this.output.writer.ready(this.status);
      else this.isPassing = true;
    }
    if (type === 'Q' || type === 'H') await this.output.flush();
  }

  private async answerOne(type: string, body: Buffer): Promise<void> {
    switch (type) {
      case 'Q':
        this.isPassing = false;
        return this.query(readText(body));
      case 'P':
        return this.parse(body);
      case 'B':
        return this.bind(body);
      case 'D':
        return this.describe(body);
      case 'E':
        return this.execute(body);
      case 'C':
        return this.closeNamed(body);
      case 'H':
        return;
      case 'F':
        throw new PostgresError('0A000', 'calls of functions by number are not answered');
      default:
        throw violation(`a message of type ${JSON.stringify(type)} has no meaning here`);
    }
  }

  private async sync(): Promise<void> {
    this.isPassing = false;
    if (this.status === 'I') this.portals.closeAll();
    this.output.writer.ready(this.status);
    await this.output.flush();
  }

  private fail(failure: PostgresError): void {
    if (this.status === 'T') this.status = 'E';
    const { position } = failure;
    const character = position === undefined ? undefined : [...this.said.slice(0, position)].length + 1; // prettier-ignore
    this.output.writer.error(failure, character);
  }

  private async query(text: string): Promise<void> {
    this.said = text;
    const { writer } = this.output;
    const statements = statementsOf(text);
    if (statements.length === 0) writer.empty('I');
    for (const statement of statements)
      await this.inText(statement, async () => {
        const asked = this.answering.prepare(statement, []);
        if (asked.types.length > 0 && asked.kind === 'engine')
          throw new PostgresError('42P02', 'there is no parameter $1 in a simple query');
        const rows = await this.rows(asked, NO_VALUES);
        if (asked.kind !== 'session' || asked.session?.kind === 'show') rows.describe(writer);
        await this.send(rows, 0);
      });
    if (this.status === 'I') this.portals.closeAll();
    writer.ready(this.status);
  }

  /** Places within a statement become places within what was sent. */
  private async inText(statement: StatementText, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const failure = toPostgresError(error);
      const { position } = failure;
      if (position === undefined || statement.start === 0) throw failure;
      throw new PostgresError(failure.state, failure.message, { position: position + statement.start }); // prettier-ignore
    }
  }

  private parse(body: Buffer): void {
    const { name, text, types } = readParse(body);
    this.said = text;
    const [statement = NOTHING, more] = statementsOf(text);
    if (more)
      throw new PostgresError('42601', 'cannot insert multiple commands into a prepared statement');
    this.statements.put(name, this.answering.prepare(statement, types));
    this.output.writer.empty('1');
  }

  private bind(body: Buffer): void {
    const { portal, statement, ...values } = readBind(body);
    const asked = this.statements.get(statement);
    if (asked.kind === 'engine' && values.values.length !== asked.types.length)
      throw violationOfBind(values.values.length, asked.types.length);
    this.portals.put(portal, { asked, values });
    this.output.writer.empty('2');
  }

  private async describe(body: Buffer): Promise<void> {
    const { kind, name } = readNamed(body);
    const { writer } = this.output;
    if (kind === 'statement') return this.describeStatement(this.statements.get(name));
    const portal = this.portals.get(name);
    this.said = portal.asked.statement.text;
    portal.rows ??= await this.rows(portal.asked, portal.values);
    portal.rows.describe(writer);
  }

  private async describeStatement(asked: PreparedStatement): Promise<void> {
    const { writer } = this.output;
    this.said = asked.statement.text;
    if (asked.kind === 'catalog') {
      const answer = await this.abortable((signal) => this.answering.describeCatalog(asked, signal)); // prettier-ignore
      if (answer.parameters) writer.bytes(answer.parameters);
      if (answer.columns) writer.bytes(answer.columns);
      else writer.empty('n');
      return;
    }
    writer.parameterDescription(asked.types);
    if (asked.kind === 'engine') {
      asked.columns ??= this.abortable((signal) => this.answering.columns(asked, signal));
      asked.columns.catch(() => delete asked.columns);
      const fields = (await asked.columns).map(({ name, type }) => fieldOf(name, postgresType(type))); // prettier-ignore
      writer.rowDescription(fields, formatsOf([], fields.length));
    } else if (asked.session?.kind === 'show')
      writer.rowDescription([fieldOf(asked.session.name, postgresType('String'))], ['text']);
    else writer.empty('n');
  }

  private async execute(body: Buffer): Promise<void> {
    const { portal: name, rows: limit } = readExecute(body);
    const portal = this.portals.get(name);
    this.said = portal.asked.statement.text;
    if (portal.asked.kind === 'empty') return void this.output.writer.empty('I');
    portal.rows ??= await this.rows(portal.asked, portal.values);
    const isDone = await this.send(portal.rows, limit);
    if (isDone) portal.rows = noRows('SELECT 0');
    else this.portals.suspend(portal);
  }

  private closeNamed(body: Buffer): void {
    const { kind, name } = readNamed(body);
    if (kind === 'statement') this.statements.drop(name);
    else this.portals.close(name);
    this.output.writer.empty('3');
  }

  /** @returns whether all of them are sent, and no limit came before. */
  private async send(rows: Rows, limit: number): Promise<boolean> {
    const { writer } = this.output;
    let count = 0;
    this.end = () => rows.abort();
    try {
      while (limit === 0 || count < limit) {
        const next = rows.next();
        if (!(typeof next === 'boolean' ? next : await next)) {
          writer.complete(rows.tag(count));
          return true;
        }
        rows.write(writer);
        count += 1;
        if (writer.length >= BOUNDS.writeBytes) await this.output.flush();
      }
    } catch (error) {
      rows.close();
      throw error;
    } finally {
      this.end = undefined;
    }
    writer.empty('s');
    return false;
  }

  private async rows(asked: PreparedStatement, values: Values): Promise<Rows> {
    const { kind, session } = asked;
    if (kind === 'session' && session) return this.sessionRows(asked, values.resultFormats);
    if (this.status === 'E') throw aborted();
    if (kind === 'empty') return noRows('');
    return this.abortable((signal) => this.answering.rows(asked, values, signal));
  }

  /** Runs what a cancel request ends. */
  private async abortable<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const running = new AbortController();
    this.end = () => running.abort();
    try {
      return await work(running.signal);
    } finally {
      this.end = undefined;
    }
  }

  private async sessionRows(asked: PreparedStatement, formats: readonly Format[]): Promise<Rows> {
    const { session } = asked;
    if (!session) return noRows('');
    const ends = ['commit', 'rollback', 'rollback-to'].includes(session.kind);
    if (this.status === 'E' && !ends) throw aborted();
    switch (session.kind) {
      case 'begin':
        if (this.status === 'T') this.output.writer.notice('25001', 'there is already a transaction in progress'); // prettier-ignore
        this.status = 'T';
        break;
      case 'commit':
      case 'rollback': {
        const tag = this.status === 'E' ? 'ROLLBACK' : session.tag;
        if (this.status === 'I') this.output.writer.notice('25P01', 'there is no transaction in progress'); // prettier-ignore
        this.status = 'I';
        this.portals.closeAll();
        return noRows(tag);
      }
      case 'rollback-to':
        this.status = 'T';
        break;
      case 'set': {
        const told = this.settings.set(session.name, session.value);
        if (told) this.output.writer.parameterStatus(...told);
        break;
      }
      case 'show': {
        const { name } = session;
        const value = this.settings.show(name) ?? (await this.abortable((signal) => this.answering.show(name, signal))); // prettier-ignore
        return oneText(name, value, formats, session.tag);
      }
      case 'discard':
        this.statements.clear();
        this.portals.closeAll();
        break;
      case 'deallocate':
        if (session.name === undefined) this.statements.clear();
        else this.statements.drop(session.name);
        break;
      case 'close':
        if (session.name === undefined) this.portals.closeAll();
        else this.portals.close(session.name);
        break;
      case 'nothing':
    }
    return noRows(session.tag);
  }
}

const aborted = (): PostgresError =>
  new PostgresError(
    '25P02',
    'current transaction is aborted, commands ignored until end of transaction block',
  );

const violationOfBind = (given: number, wanted: number): PostgresError =>
  new PostgresError(
    '08P01',
    `bind message supplies ${given} parameters, but the prepared statement requires ${wanted}`,
  );
