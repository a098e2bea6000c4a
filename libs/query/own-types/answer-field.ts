import { anyBinaryType } from '../plan/binary-values.js';
import { readElement, readEngineType, typeWithin } from '../plan/engine-type.js';
import { isWallTime } from '../plan/wall-times.js';

/** A note about a field of an answer's own schema. It is undefined if the field needs none. */
export interface AnswerField {
  /**
   * A list has a note for its element, a map one for its entries, and an entry one each for key and
   * value.
   */
  readonly children: readonly AnswerField[];
  /** Removes the zone of a timestamp. */
  readonly dropZone?: () => void;
  /** Marks a timestamp as a time of day. */
  readonly asTimeOfDay?: () => void;
  /** Marks a text as bytes. */
  readonly asBinary?: () => unknown;
}

/** Notes what the engine's types of the columns say about an answer's fields. */
export function sayOwnTypes(type: string, field: AnswerField | undefined): void {
  if (!field) return;
  const read = readEngineType(type);
  const { parameters } = read;
  switch (read.name) {
    case 'SimpleAggregateFunction':
      if (anyBinaryType(type)) {
        field.asBinary?.();
        return;
      }
      return sayOwnTypes(typeWithin(read, 1), field);
    case 'Array':
      return sayOwnTypes(typeWithin(read), field.children[0]);
    case 'Map':
      return sayParameters(parameters, field.children[0]);
    case 'Nested':
      return sayParameters(parameters.map(typeOf), field.children[0]);
    case 'Tuple':
      return sayParameters(parameters.map(typeOf), field);
    case 'Time':
    case 'Time64':
      return field.asTimeOfDay?.();
    case 'Nullable':
    case 'LowCardinality':
      return sayOwnTypes(typeWithin(read), field);
    default:
      if (isWallTime(type)) field.dropZone?.();
  }
}

function sayParameters(types: readonly string[], field: AnswerField | undefined): void {
  types.forEach((type, at) => sayOwnTypes(type, field?.children[at]));
}

const typeOf = (element: string): string => readElement(element).type;

/** Tells whether there is a note, because the engine does not write it itself. */
export const hasOwnTypes = (type: string): boolean =>
  /\bTime(?:64)?\b|\bDateTime64\(\d\)|\bSimpleAggregateFunction\b/.test(type);
