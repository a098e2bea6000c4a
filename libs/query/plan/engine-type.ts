import { certain } from '@app/platform';

/** A type of the engine: its name, and the parameters in its brackets. */
interface EngineType {
  /** The name of the type, without brackets. */
  readonly name: string;
  /**
   * The parameters in brackets, split at commas. A named element of a tuple stands as `name type`.
   */
  readonly parameters: readonly string[];
}

/**
 * Reads a type's name as the engine prints it. Quoted texts and names within may contain any
 * characters.
 */
export function readEngineType(type: string): EngineType {
  const open = type.indexOf('(');
  if (open === -1) return { name: type, parameters: [] };
  const parameters = parametersOf(type.slice(open + 1, type.lastIndexOf(')')));
  return { name: type.slice(0, open), parameters };
}

/**
 * The type within another one's brackets, as in Nullable and Array: the first parameter, or the one
 * at that place.
 */
export const typeWithin = ({ name, parameters }: EngineType, at = 0): string =>
  certain(parameters[at], `type within ${name}`);

/** An element of a tuple: its name, quoted where it must be, if it has one, and its type. */
export function readElement(element: string): { readonly name: string; readonly type: string } {
  const name = /^(?:`(?:[^`\\]|\\.|``)*`|[A-Za-z_]\w*) (?=[A-Z])/s.exec(element)?.[0] ?? '';
  return { name, type: element.slice(name.length) };
}

const PIECE = /'(?:[^'\\]|\\.|'')*'|`(?:[^`\\]|\\.|``)*`|[(),]|[^'`(),]+/gs;

function parametersOf(list: string): readonly string[] {
  const parameters: string[] = [];
  let depth = 0;
  let parameter = '';
  for (const [piece] of list.matchAll(PIECE)) {
    if (piece === '(') depth += 1;
    if (piece === ')') depth -= 1;
    if (piece === ',' && depth === 0) {
      parameters.push(parameter.trim());
      parameter = '';
    } else parameter += piece;
  }
  return parameter.trim() === '' ? parameters : [...parameters, parameter.trim()];
}
