const MICROS_FROM = 31_536_000_000_000n;
const MICROS_TO = 31_536_000_000_000_000n;
const MICRO = 1000n;
/** Microseconds of a millisecond. */
const MILLI_MICROS = 1000n;

/**
 * Writes a record's fields. Fields that were not sent, or that hold the zero of their type, are
 * left out.
 */
export class LineWriter {
  private written = '';

  /** Adds `json`, which is one value of JSON. */
  json(name: string, json: string | undefined): this {
    if (json !== undefined) this.written += `${this.written === '' ? '' : ','}"${name}":${json}`;
    return this;
  }

  text(name: string, value: string | undefined): this {
    return value === undefined || value === '' ? this : this.json(name, JSON.stringify(value));
  }

  integer(name: string, value: bigint | number | undefined): this {
    return value === undefined || Number(value) === 0 ? this : this.json(name, String(value));
  }

  /** Adds members that were written before. */
  members(members: string): this {
    if (members !== '') this.written += `${this.written === '' ? '' : ','}${members}`;
    return this;
  }

  /** `_timestamp`. @param nanoseconds since 1970; undefined or 0: none */
  time(nanoseconds: bigint | undefined): this {
    return nanoseconds === undefined || nanoseconds === 0n ? this : this.instant(nanoseconds);
  }

  /** Writes `_timestamp` for a protocol in which 0 is a valid time. */
  instant(nanoseconds: bigint): this {
    return this.json('_timestamp', timestamp(nanoseconds));
  }

  toString(): string {
    return this.written;
  }

  /** Gives the fields that were written as an object within another one. */
  object(): string {
    return `{${this.written}}`;
  }
}

/**
 * The unit of a number is read from its size. If microseconds would be read as another unit, the
 * time is written as a text.
 */
function timestamp(nanoseconds: bigint): string {
  const micros = nanoseconds / MICRO;
  if (micros > MICROS_FROM && micros < MICROS_TO) return String(micros);
  const within = ((micros % MILLI_MICROS) + MILLI_MICROS) % MILLI_MICROS;
  const date = new Date(Number((micros - within) / MILLI_MICROS));
  // The value makes acceptance reject this record, and no other.
  if (Number.isNaN(date.getTime())) return JSON.stringify(`${nanoseconds} nanoseconds`);
  return JSON.stringify(date.toISOString().replace('Z', `${String(within).padStart(3, '0')}Z`));
}
