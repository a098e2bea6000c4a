import type { Readable } from 'node:stream';
import { WarehouseReader, type WarehouseQuery } from '@app/warehouse';

/** The engine, with a record of the statements that it got. */
export class CountedReader extends WarehouseReader {
  /** Statements, in their order. */
  questions: string[] = [];
  get asked(): number {
    return this.questions.length;
  }

  /** The error that the next answer throws. */
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
