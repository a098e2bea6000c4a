import type { TransactionStatus } from '../protocol/message-writer.js';
import { PostgresError } from '../protocol/protocol-error.js';

/** A transaction as clients see it. Nothing is written, so it is only a state. */
export class Transaction {
  status: TransactionStatus = 'I';

  get isNone(): boolean {
    return this.status === 'I';
  }

  fail(): void {
    if (this.status === 'T') this.status = 'E';
  }

  /** @throws {PostgresError} 25P02 after a failure, until the transaction ends */
  check(): void {
    if (this.status !== 'E') return;
    throw new PostgresError(
      '25P02',
      'current transaction is aborted, commands ignored until end of transaction block',
    );
  }
}
