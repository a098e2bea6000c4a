import { certain } from '@app/platform';

const FIRST_ROOM = 64;

/** A text, by where it stands. */
export interface Text {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

/**
 * Refused records, as numbers in parallel arrays. A chunk of very short lines may have millions,
 * and most of them have one of a few reasons.
 */
export class RefusedRecords {
  count = 0;
  /** The bytes of all of them. */
  bytes = 0;
  private lineOf = new Float64Array(FIRST_ROOM);
  private reason = new Uint32Array(FIRST_ROOM);
  private from = new Uint32Array(FIRST_ROOM);
  private to = new Uint32Array(FIRST_ROOM);
  private readonly indexes = new Map<string, number>();
  /** One object for all, because there may be millions. */
  private readonly text: { bytes: Buffer; from: number; to: number } = {
    bytes: Buffer.alloc(0),
    from: 0,
    to: 0,
  };

  /** @param from where the record begins; `to`: where it ends, without blanks */
  add(line: number, reason: string, from: number, to: number): void {
    const at = this.count;
    if (at === this.lineOf.length) this.grow();
    const index = this.indexes.get(reason) ?? this.indexes.size;
    if (index === this.indexes.size) this.indexes.set(reason, index);
    this.lineOf[at] = line;
    this.reason[at] = index;
    this.from[at] = from;
    this.to[at] = to;
    this.count += 1;
    this.bytes += to - from;
  }

  /** Each reason once, in the order in which they came first. */
  get reasons(): string[] {
    return [...this.indexes.keys()];
  }

  get lines(): Float64Array {
    return this.lineOf.slice(0, this.count);
  }

  /** Index in {@link reasons}, for each record. */
  get reasonOf(): Uint32Array {
    return this.reason.slice(0, this.count);
  }

  /** A record's text, until the next one is asked for. @param bytes where the records stand */
  textAt(index: number, bytes: Buffer): Text {
    const { text } = this;
    text.bytes = bytes;
    text.from = certain(this.from[index], 'refused record');
    text.to = certain(this.to[index], 'refused record');
    return text;
  }

  private grow(): void {
    const room = this.count * 2;
    const lines = new Float64Array(room);
    lines.set(this.lineOf);
    this.lineOf = lines;
    this.reason = longer(this.reason, room);
    this.from = longer(this.from, room);
    this.to = longer(this.to, room);
  }
}

function longer(numbers: Uint32Array<ArrayBuffer>, room: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(room);
  larger.set(numbers);
  return larger;
}
