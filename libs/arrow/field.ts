import type { DecimalBytes } from '@app/parquet';

/** Decimal places of a second that a time counts: none, milli-, micro- or nanoseconds. */
export type SecondDigits = 0 | 3 | 6 | 9;

/** The type of a field of a table that has a schema of its own, whichever format says so. */
export type FieldType =
  | { readonly kind: 'integer'; readonly bits: 8 | 16 | 32 | 64; readonly signed: boolean }
  | { readonly kind: 'float'; readonly bits: 32 | 64 }
  /** The field has only nulls. */
  | { readonly kind: 'nothing' }
  /**
   * `int96`: a timestamp as old files have it, nanoseconds of a Julian day. A moment: Spark and
   * Impala write it so, and nothing in the file says otherwise. `date64`: a date as Arrow has it
   * besides, in milliseconds since 1970, which need not be whole days. `interval`: months, days and
   * milliseconds as Parquet has them, which become text.
   */
  | {
      readonly kind:
        'boolean' | 'text' | 'binary' | 'uuid' | 'date' | 'int96' | 'date64' | 'interval';
    }
  | { readonly kind: 'fixed'; readonly bytes: number }
  | { readonly kind: 'time'; readonly digits: SecondDigits }
  | { readonly kind: 'timestamp'; readonly digits: SecondDigits; readonly utc: boolean }
  /** `wide`: the engine would read others; it reads their bytes. */
  | {
      readonly kind: 'decimal';
      readonly precision: number;
      readonly scale: number;
      readonly wide?: DecimalBytes | undefined;
    }
  | { readonly kind: 'list'; readonly element: Field }
  /** `tellsNull`: the engine's reader of its format tells a struct that is null from one of nulls. */
  | { readonly kind: 'struct'; readonly fields: readonly Field[]; readonly tellsNull?: true }
  | { readonly kind: 'map'; readonly key: Field; readonly value: Field };

export interface Field {
  readonly name: string;
  readonly type: FieldType;
  /** Its number in the file, if the file numbers its fields. */
  readonly id?: number | undefined;
  /** Identifies the field of a table in its files, if the field's name does not. */
  readonly heldBy?: { readonly id: number } | { readonly name: string } | undefined;
}

/** The fields directly within a list, a struct or a map; none within a single value. */
export function fieldsWithin(type: FieldType): readonly Field[] {
  switch (type.kind) {
    case 'list':
      return [type.element];
    case 'struct':
      return type.fields;
    case 'map':
      return [type.key, type.value];
    default:
      return [];
  }
}
