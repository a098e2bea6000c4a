import { Readable } from 'node:stream';

/** A result that is complete already, so its sender knows its length. */
export class WholeResult extends Readable {
  constructor(readonly bytes: Buffer) {
    super();
  }

  override _read(): void {
    this.push(this.bytes);
    this.push(null);
  }
}
