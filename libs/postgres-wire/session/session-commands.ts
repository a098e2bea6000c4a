import { copiedRows } from '../copy/copied-rows.js';
import type { Format } from '../protocol/front-messages.js';
import type { MessageWriter } from '../protocol/message-writer.js';
import type { SessionSettings } from '../statements/session-settings.js';
import type { SessionStatement } from '../statements/session-statement.js';
import { JSON_TYPE } from '../values/postgres-type.js';
import type { KeptStatements } from './kept-statements.js';
import type { Portal, Portals } from './portals.js';
import { firstRows, noRows, oneText, type Rows } from './rows.js';
import type { Transaction } from './transaction.js';

/** The state that statements about the session read and change. */
export interface SessionState {
  readonly statements: KeptStatements;
  readonly portals: Portals;
  readonly settings: SessionSettings;
  readonly transaction: Transaction;
  readonly writer: MessageWriter;
  /** The value of one of PostgreSQL's own settings. */
  readonly show: (name: string) => Promise<string>;
  /** Makes a portal of a query within a statement. */
  readonly portalOf: (query: string) => Portal;
  readonly rowsOf: (portal: Portal) => Promise<Rows>;
}

/** The name of a plan's column. */
export const PLAN = 'QUERY PLAN';
const ENDS = ['commit', 'rollback', 'rollback-to'];

/** Runs a statement that is about the session. @throws {PostgresError} */
export async function sessionRows(
  session: SessionStatement,
  state: SessionState,
  formats: readonly Format[],
): Promise<Rows> {
  const { transaction, portals, statements, settings, writer } = state;
  if (!ENDS.includes(session.kind)) transaction.check();
  switch (session.kind) {
    case 'begin':
      if (!transaction.isNone) writer.notice('25001', 'there is already a transaction in progress');
      transaction.status = 'T';
      break;
    case 'commit':
    case 'rollback': {
      const tag = transaction.status === 'E' ? 'ROLLBACK' : session.tag;
      if (transaction.isNone) writer.notice('25P01', 'there is no transaction in progress');
      transaction.status = 'I';
      portals.endTransaction();
      return noRows(tag);
    }
    case 'rollback-to':
      if (!transaction.isNone) transaction.status = 'T';
      break;
    case 'set': {
      const told = settings.set(session.name, session.value);
      if (told) writer.parameterStatus(...told);
      break;
    }
    case 'show': {
      const { name } = session;
      return oneText(name, settings.show(name) ?? (await state.show(name)), formats, session.tag);
    }
    case 'plan':
      // A plan is told to have nothing within: nobody but the engine knows how it reads.
      statements.get(session.name);
      return oneText(PLAN, '[{"Plan":{"Node Type":"Result"}}]', formats, session.tag, JSON_TYPE); // prettier-ignore
    case 'declare':
      portals.put(session.name, { ...state.portalOf(session.query), isHeld: session.isHeld });
      break;
    case 'fetch': {
      const portal = portals.get(session.name);
      portals.suspend(portal);
      return firstRows(await state.rowsOf(portal), session.rows);
    }
    case 'copy': {
      const { query, options } = session.copy;
      const { asked, values } = state.portalOf(query);
      const formats = options.format === 'binary' ? (['binary'] as const) : [];
      const rows = await state.rowsOf({ asked, values: { ...values, resultFormats: formats } });
      return copiedRows(rows, writer, options);
    }
    case 'discard':
      statements.clear();
      portals.closeAll();
      break;
    case 'deallocate':
      if (session.name === undefined) statements.clear();
      else statements.drop(session.name);
      break;
    case 'close':
      if (session.name === undefined) portals.closeAll();
      else portals.close(session.name);
      break;
    case 'nothing':
  }
  return noRows(session.tag);
}
