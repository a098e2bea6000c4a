import { BOUNDS } from '../protocol/postgres-bounds.js';
import { PostgresError } from '../protocol/protocol-error.js';
import type { PreparedStatement } from './prepared-statement.js';

/**
 * The prepared statements of one connection by their names, within limits. The unnamed statement is
 * replaced by the next one.
 */
export class KeptStatements {
  private readonly statements = new Map<string, PreparedStatement>();
  private bytes = 0;

  /** @throws {PostgresError} 42P05, 53400 */
  put(name: string, statement: PreparedStatement): void {
    if (name === '') this.drop(name);
    else if (this.statements.has(name))
      throw new PostgresError('42P05', `prepared statement "${name}" already exists`);
    const bytes = sizeOf(name, statement);
    if (this.statements.size >= BOUNDS.statements || this.bytes + bytes > BOUNDS.statementBytes)
      throw new PostgresError(
        '53400',
        'this connection has prepared as many statements as it may; close some, or DEALLOCATE ALL',
      );
    this.statements.set(name, statement);
    this.bytes += bytes;
  }

  /** @throws {PostgresError} 26000 */
  get(name: string): PreparedStatement {
    const found = this.statements.get(name);
    if (found) return found;
    throw new PostgresError('26000', `prepared statement "${name}" does not exist`);
  }

  drop(name: string): void {
    const found = this.statements.get(name);
    if (!found) return;
    this.statements.delete(name);
    this.bytes -= sizeOf(name, found);
  }

  clear(): void {
    this.statements.clear();
    this.bytes = 0;
  }
}

/** Each token also takes about so many bytes. */
const TOKEN_BYTES = 100;

const sizeOf = (name: string, { statement, types }: PreparedStatement): number =>
  2 * (name.length + statement.text.length) + TOKEN_BYTES * (1 + statement.tokens.length) + 4 * types.length; // prettier-ignore
