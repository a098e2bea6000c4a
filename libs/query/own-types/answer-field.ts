import { readBinaryType } from '@app/warehouse';
import { readElement, readEngineType, typeWithin } from '../plan/engine-type.js';
import { isWallTime } from '../plan/wall-times.js';

/**
 * A field of an answer's own schema. It is undefined where the schema needs no note about the
 * field.
 */
export interface AnswerField {
  /** A list has its element, a map its entries, and an entry the key and the value. */
  readonly children: readonly AnswerField[];
  /** Says of a timestamp that it has no zone. */
  readonly dropZone?: () => void;
  /** Says of a timestamp that it is a time of day. */
  readonly asTimeOfDay?: () => void;
  /** Says of a text that it is bytes. */
  readonly asBinary?: () => unknown;
}

/** Says of an answer's fields what the engine's type of their column says. */
export function sayOwnTypes(type: string, field: AnswerField | undefined): void {
  if (!field) return;
  const read = readEngineType(type);
  const { parameters } = read;
  switch (read.name) {
    case 'SimpleAggregateFunction':
      if (readBinaryType(type)) {
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

/** Tells whether there is something to say that the engine does not. */
export const hasOwnTypes = (type: string): boolean =>
  /\bTime(?:64)?\b|\bDateTime64\(\d\)|\bSimpleAggregateFunction\b/.test(type);
