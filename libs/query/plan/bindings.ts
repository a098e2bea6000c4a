import { quoteIdentifier } from '@app/warehouse';
import type { BoundValue } from './bound-value.js';

/** A statement and the values of its `{name:Type}` placeholders. */
export interface BoundStatement {
  readonly sql: string;
  readonly values: Readonly<Record<string, string>>;
}

/** Collects values while a statement is written. The text contains only their placeholders. */
export class Bindings {
  readonly values: Record<string, string> = {};
  private count = 0;

  /** @param row the table's name in the statement, if columns could be mistaken for aliases. */
  constructor(private readonly row?: string) {}

  column(name: string): string {
    const quoted = quoteIdentifier(name);
    return this.row === undefined ? quoted : `${quoteIdentifier(this.row)}.${quoted}`;
  }

  /** @returns the placeholder. */
  add({ type, text }: BoundValue): string {
    const name = `p${this.count}`;
    this.count += 1;
    this.values[name] = text;
    return `{${name}:${type}}`;
  }
}
