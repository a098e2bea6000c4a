import type { Message } from '../protocol/message-reader.js';
import type { MessageWriter } from '../protocol/message-writer.js';
import { BOUNDS } from '../protocol/postgres-bounds.js';
import { formatsOf, readBind, readExecute, readNamed } from '../protocol/front-messages.js';
import { readParse, readText } from '../protocol/front-messages.js';
import { PostgresError, violation } from '../protocol/protocol-error.js';
import { statementsOf, type StatementText } from '../statements/postgres-tokens.js';
import { SessionSettings } from '../statements/session-settings.js';
import { fieldOf, JSON_TYPE, postgresType } from '../values/postgres-type.js';
import { NO_VALUES, type Answering, type Values } from './answering.js';
import { toPostgresError } from './postgres-failure.js';
import { KeptStatements } from './kept-statements.js';
import { DONE, Portals, type Portal } from './portals.js';
import { NOTHING, type PreparedStatement } from './prepared-statement.js';
import { noRows, type Rows } from './rows.js';
import { PLAN, sessionRows, type SessionState } from './session-commands.js';
import { Transaction } from './transaction.js';

/** The output of a session. */
export interface Output {
  readonly writer: MessageWriter;
  /** Sends the written bytes, and waits until the client takes them. */
  flush(): Promise<void>;
}

/** Keeps the state of one client's session, and answers its messages. */
export class Session {
  private readonly statements = new KeptStatements();
  private readonly portals = new Portals();
  private readonly settings = new SessionSettings();
  private readonly transaction = new Transaction();
  /** After a failure, messages are skipped until the next Sync. */
  private isPassing = false;
  /** Ends the running statement. */
  private end: (() => void) | undefined;
  /** The text to which the places of errors refer. */
  private said = '';

  constructor(
    private readonly answering: Answering,
    private readonly output: Output,
  ) {}

  begin(parameters: ReadonlyMap<string, string>): void {
    this.settings.set('application_name', parameters.get('application_name') ?? '');
  }

  /** Ends the running statement, if there is one. */
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
      if (type === 'Q') this.output.writer.ready(this.transaction.status);
      else this.isPassing = true;
    }
    const isMuch = this.output.writer.length >= BOUNDS.writeBytes;
    // A client may wait for the failure before it sends its Sync.
    if (type === 'Q' || type === 'H' || this.isPassing || isMuch) await this.output.flush();
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
        // A client sends rows of a COPY that was refused before it has read the refusal.
        if (/^[dcf]$/.test(type)) return;
        throw violation(`a message of type ${JSON.stringify(type)} has no meaning here`);
    }
  }

  private async sync(): Promise<void> {
    this.isPassing = false;
    if (this.transaction.isNone) this.portals.endTransaction();
    this.output.writer.ready(this.transaction.status);
    await this.output.flush();
  }

  private fail(failure: PostgresError): void {
    this.transaction.fail();
    const { position } = failure;
    const character = position === undefined ? undefined : [...this.said.slice(0, position)].length + 1; // prettier-ignore
    this.output.writer.error(failure, character);
  }

  private async query(text: string): Promise<void> {
    this.said = text;
    const { writer } = this.output;
    const statements = statementsOf(checked(text));
    if (statements.length === 0) writer.empty('I');
    for (const statement of statements)
      await this.inText(statement, async () => {
        const asked = this.answering.prepare(statement, []);
        if (asked.types.length > 0 && asked.kind === 'engine')
          throw new PostgresError('42P02', 'there is no parameter $1 in a simple query');
        const rows = await this.rows(asked, NO_VALUES);
        if (hasRows(asked)) rows.describe(writer);
        await this.send(rows, 0);
      });
    if (this.transaction.isNone) this.portals.endTransaction();
    writer.ready(this.transaction.status);
  }

  /** Converts places within a statement to places within the client's text. */
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
    const [statement = NOTHING, more] = statementsOf(checked(text));
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
    const rows = await this.rowsOf(portal);
    rows.describe(writer);
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
      const fields = (await asked.columns).map(({ name, type }) => fieldOf(name, postgresType(type, asked.wide))); // prettier-ignore
      writer.rowDescription(fields, formatsOf([], fields.length));
    } else if (asked.session?.kind === 'show')
      writer.rowDescription([fieldOf(asked.session.name, postgresType('String'))], ['text']);
    else if (asked.session?.kind === 'plan')
      writer.rowDescription([fieldOf(PLAN, JSON_TYPE)], ['text']); // prettier-ignore
    else writer.empty('n');
  }

  private async execute(body: Buffer): Promise<void> {
    const { portal: name, rows: limit } = readExecute(body);
    const portal = this.portals.get(name);
    this.said = portal.asked.statement.text;
    if (portal.asked.kind === 'empty') return void this.output.writer.empty('I');
    const isDone = await this.send(await this.rowsOf(portal), limit);
    if (isDone) portal.rows = DONE;
    else this.portals.suspend(portal);
  }

  private closeNamed(body: Buffer): void {
    const { kind, name } = readNamed(body);
    if (kind === 'statement') this.statements.drop(name);
    else this.portals.close(name);
    this.output.writer.empty('3');
  }

  /** @returns whether all rows were sent before a limit. */
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

  private async rowsOf(portal: Portal): Promise<Rows> {
    portal.rows ??= await this.rows(portal.asked, portal.values);
    return portal.rows;
  }

  private async rows(asked: PreparedStatement, values: Values): Promise<Rows> {
    const { kind, session } = asked;
    if (kind === 'session' && session)
      return sessionRows(session, this.state, values.resultFormats);
    this.transaction.check();
    if (kind === 'empty') return noRows('');
    return this.abortable((signal) => this.answering.rows(asked, values, signal));
  }

  /** Runs work that a cancel request can end. */
  private async abortable<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const running = new AbortController();
    this.end = () => running.abort();
    try {
      return await work(running.signal);
    } finally {
      this.end = undefined;
    }
  }

  private get state(): SessionState {
    const { statements, portals, settings, transaction } = this;
    return {
      ...{ statements, portals, settings, transaction, writer: this.output.writer },
      show: (name) => this.abortable((signal) => this.answering.show(name, signal)),
      portalOf: (query) => {
        const [statement = NOTHING] = statementsOf(query);
        return { asked: this.answering.prepare(statement, []), values: NO_VALUES };
      },
      rowsOf: (portal) => this.rowsOf(portal),
    };
  }
}

/**
 * The guard refuses longer statements, but before that each token needs memory.
 * @throws {PostgresError} 54000
 */
function checked(text: string): string {
  if (text.length <= BOUNDS.textLength) return text;
  throw new PostgresError('54000', `a statement may have at most ${BOUNDS.textLength} characters`);
}

const hasRows = ({ kind, session }: PreparedStatement): boolean =>
  kind !== 'session' || /^(?:show|fetch|plan)$/.test(session?.kind ?? '');

const violationOfBind = (given: number, wanted: number): PostgresError =>
  new PostgresError(
    '08P01',
    `bind message supplies ${given} parameters, but the prepared statement requires ${wanted}`,
  );
