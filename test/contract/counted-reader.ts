import type { Readable } from 'node:stream';
import { WarehouseReader, type WarehouseQuery } from '@app/warehouse';

/** The engine, and what it was asked. */
export class CountedReader extends WarehouseReader {
  /** Statements, in their order. */
  questions: string[] = [];
  get asked(): number {
    return this.questions.length;
  }

  /** Thrown instead of the next answer. */
  fails: Error | undefined;

  constructor(private readonly reader: WarehouseReader) {
    super();
  }
  stream(query: WarehouseQuery): Promise<Readable> {
    return this.reader.stream(query);
  }
  text(query: WarehouseQuery): Promise<string> {
    this.questions.push(query.sql);
    const { fails } = this;
    this.fails = undefined;
    return fails ? Promise.reject(fails) : this.reader.text(query);
  }
}
