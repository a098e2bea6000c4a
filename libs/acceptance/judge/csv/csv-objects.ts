import { ChunkMemory } from '../chunk/chunk-memory.js';
import { QUOTED, SPECIAL, type CsvFields } from './csv-fields.js';
import type { CsvShape } from '../chunk/csv-shape.js';
import { AS_ANY, AS_JSON, AS_TEXT, AS_TYPED, type CsvValues } from './csv-values.js';
import { BOOL, FLOAT, INT } from '../values/kinds.js';
import { RowWriter } from './row-writer.js';

const [OPEN_OBJECT, CLOSE_OBJECT, COMMA] = [0x7b, 0x7d, 0x2c];

/** Tells where a record stands among those that are kept. */
interface Place {
  readonly from: number;
  readonly to: number;
}

/**
 * Records of CSV that are refused, as JSON: so they can be read without their header, and be
 * judged again.
 */
export class CsvObjects {
  private readonly writer = new RowWriter(new ChunkMemory());
  private readonly keys: readonly Buffer[];

  /** @param readings by the field's place in a record: see `csv-values.ts` */
  constructor(
    private readonly bytes: Buffer,
    private readonly fields: CsvFields,
    private readonly values: CsvValues,
    { columns }: CsvShape,
    private readonly readings: ReadonlyMap<number, number>,
  ) {
    // Fields beyond the header have no name.
    this.keys = [...columns, ''].map((name) => Buffer.from(`${JSON.stringify(name)}:`));
  }

  /** The record that was read last, which begins there. If it is not CSV, it stays as it came. */
  keep(at: number): Place {
    const { bytes, fields, writer } = this;
    writer.beginRow();
    const from = writer.written;
    if (fields.isRecord) this.object();
    else writer.copy(bytes, at, fields.end);
    return { from, to: writer.written };
  }

  all(): Buffer {
    return Buffer.concat(this.writer.end());
  }

  private object(): void {
    const { fields, keys, writer } = this;
    let isFirst = true;
    writer.byte(OPEN_OBJECT);
    for (let field = 0; field < fields.count; field += 1) {
      const key = keys[field];
      if (!key || !this.isThere(field)) continue;
      if (!isFirst) writer.byte(COMMA);
      isFirst = false;
      writer.copy(key);
      this.value(field);
    }
    writer.byte(CLOSE_OBJECT);
  }

  private isThere(field: number): boolean {
    const { fields, readings } = this;
    if ((fields.to[field] ?? 0) > (fields.from[field] ?? 0)) return true;
    return readings.get(field) === AS_TEXT && ((fields.flags[field] ?? 0) & QUOTED) !== 0;
  }

  private value(field: number): void {
    const { bytes, fields, values, writer } = this;
    const from = fields.from[field] ?? 0;
    const to = fields.to[field] ?? 0;
    const flags = fields.flags[field] ?? 0;
    const reading = this.readings.get(field) ?? AS_ANY;
    const isQuoted = (flags & QUOTED) !== 0;
    if (reading === AS_JSON) {
      const json = values.json(from, to, isQuoted);
      if (json) {
        writer.copy(json.bytes);
        return;
      }
    } else if (reading !== AS_TEXT) {
      const kind = values.kindOf(from, to, reading);
      if (kind === BOOL) {
        writer.ascii(values.isTrue(from, to) ? 'true' : 'false');
        return;
      }
      // A column of decimals may have values beyond 64 bits, which JSON can hold only as text.
      const isBeyond = values.isBeyond && reading !== AS_TYPED;
      if (!values.isNoJson && ((kind >= INT && kind <= FLOAT) || isBeyond)) {
        writer.copy(values.source, values.from, values.to);
        return;
      }
    }
    writer.text(bytes, from, to, (flags & SPECIAL) !== 0, isQuoted);
  }
}
