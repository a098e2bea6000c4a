import { Readable } from 'node:stream';

/** A result that is there already, all of it: whoever sends it knows its length. */
export class WholeResult extends Readable {
  constructor(readonly bytes: Buffer) {
    super();
  }

  override _read(): void {
    this.push(this.bytes);
    this.push(null);
  }
}
