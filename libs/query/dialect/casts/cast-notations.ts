import { quoteText } from '@app/warehouse';
import type { Rewritten, Write } from '../notations/rewriting.js';
import { isValueBefore } from '../operands.js';
import {
  endOf,
  isList,
  isSymbol,
  isWord,
  startOf,
  type Group,
  type Nodes,
} from '../source-tree.js';
import { writtenInterval } from '../lengths/written-intervals.js';
import { refused, writtenType } from './written-types.js';

const TIMES = /^(?:DATE|TIME|TIMESTAMP|TIMESTAMPTZ|DATETIME)(?:_\w+|64|32)?$/i;
const INTEGER = /^(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT|INT[248]?)$/i;

/**
 * `CAST(x AS type)`, `x::type` and `TRY_CAST(x AS type)` with a type that the engine reads
 * differently or not at all: `INTEGER[]`, `TIMESTAMP WITH TIME ZONE`, `STRUCT(a INTEGER)`,
 * `INTERVAL`.
 */
export function castNotation(
  nodes: Nodes,
  at: number,
  source: string,
  write: Write,
): Rewritten | undefined {
  const [first, list] = [nodes[at], nodes[at + 1]];
  if (isSymbol(first, '::')) return ofColons(nodes, at, source);
  const listed = ofListed(nodes, at, source, write);
  if (listed) return listed;
  if (
    isList(first) &&
    isSymbol(list, '::') &&
    !isValueBefore(nodes, at) &&
    !isWord(nodes[at - 1], 'IN')
  )
    return ofBrackets(first, nodes.slice(at + 1, at + BEHIND), {
      at,
      source,
      write,
      hasSign: isSymbol(nodes[at - 1], '-'),
    });
  if (first?.kind === 'text' && isSymbol(list, '::') && isWord(nodes[at + 2], 'INTERVAL'))
    return { text: writtenInterval(first.value), end: at + 3 };
  // The engine would read the digits as a text, and not as an integer.
  const isNumber = first?.kind === 'number' && /[.e]/i.test(first.text) && isSymbol(list, '::');
  const target = nodes[at + 2]?.text ?? '';
  if (isNumber && INTEGER.test(target) && nodes[at + 3]?.text !== '[')
    return { text: `CAST(${write([first])} AS ${target})`, end: at + 3 };
  // The engine would read the digits as a text, and `1.1` as the first of January.
  const time = first?.kind === 'number' && isSymbol(list, '::') && TIMES.test(target) ? writtenType(nodes, at + 2, source) : undefined; // prettier-ignore
  if (first && time) return { text: `CAST(${write([first])} AS ${time.text})`, end: time.end };
  if (first?.kind !== 'word' || !isList(list)) return undefined;
  if (isWord(first, 'CAST')) return ofCast(list, at, source, write);
  return /^(?:TRY|SAFE)_CAST$/i.test(first.text) ? ofTryCast(list, at, source, write) : undefined;
}

/**
 * `['1', '2']::INTEGER[]` and `(ARRAY[1, 2])::INTEGER[]`: the engine would read the list as a text,
 * and the quotes and brackets around its elements as pieces of these.
 */
function ofListed(nodes: Nodes, at: number, source: string, write: Write): Rewritten | undefined {
  const first = nodes[at];
  const isBracketed = isList(first);
  const inner = isBracketed ? first.nodes : nodes.slice(at, at + 2);
  const start = isWord(inner[0], 'ARRAY') ? 1 : 0;
  const list = inner[start];
  const end = isBracketed ? at + 1 : at + start + 1;
  if (list?.kind !== 'group' || list.text !== '[' || !isSymbol(nodes[end], '::')) return undefined;
  // To look for a value before it comes last, as that may take long.
  if ((isBracketed && inner.length !== start + 1) || isValueBefore(nodes, at)) return undefined;
  const elements = list.nodes.filter((node) => !isSymbol(node, ','));
  const areTexts = elements.length > 0 && elements.every((node) => node.kind === 'text' || isWord(node, 'NULL')); // prettier-ignore
  const type = areTexts ? writtenType(nodes, end + 1, source) : undefined;
  if (type) return { text: `CAST(${write([list])} AS ${type.text})`, end: type.end };
  return isBracketed ? { text: write([list]), end } : undefined;
}

/** The nodes that a type may have, with the sign before it. */
const BEHIND = 40;

interface Place {
  readonly at: number;
  readonly source: string;
  readonly write: Write;
  /** True if `-` stands before the brackets. */
  readonly hasSign: boolean;
}

/**
 * `(5)::VARCHAR` and `('x')::VARCHAR`: the engine would read the brackets as a piece of the text.
 * @param behind the nodes that follow the brackets
 */
function ofBrackets(
  { nodes: [sign, ...more], nodes }: Group,
  behind: Nodes,
  place: Place,
): Rewritten | undefined {
  const { at, source, write, hasSign } = place;
  const isSigned = isSymbol(sign, '-');
  const [only, other] = isSigned ? more : nodes;
  if (!only || other) return undefined;
  if (isList(only) && !isSigned) return ofBrackets(only, behind, place);
  if (isSigned) return only.kind === 'number' ? { text: `(-(${write([only])}))`, end: at + 1 } : undefined; // prettier-ignore
  if (only.kind !== 'number' && only.kind !== 'text') return undefined;
  const type = hasSign ? writtenType(behind, 1, source) : undefined;
  // The engine would read the sign as one of the number, or of the text.
  if (type) return { text: `CAST(${write([only])} AS ${type.text})`, end: at + 1 + type.end };
  const cast = castNotation([only, ...behind], 0, source, write);
  return cast ? { ...cast, end: at + cast.end } : { text: write([only]), end: at + 1 };
}

/** `TIMESTAMP WITH TIME ZONE '…'`, `TIMESTAMP(3) '…'`, `TIME WITHOUT TIME ZONE '…'`, `NUMERIC '1.5'`, `TEXT 'a'`. */
export function typedLiteral(nodes: Nodes, at: number, source: string): Rewritten | undefined {
  if (!TYPED.test(nodes[at]?.text ?? '') || isWord(nodes[at - 1], 'AS')) return undefined;
  const type = writtenType(nodes, at, source);
  const text = type && nodes[type.end];
  const isPlain = type?.end === at + 1 && !OTHERS.test(type.text);
  if (!type || text?.kind !== 'text' || isPlain) return undefined;
  const value = source.slice(text.start, text.end);
  return { text: `CAST(${value} AS ${type.text})`, end: type.end + 1 };
}

/** Types whose name before a text makes it one, and that the engine does not read so. */
export const TYPED_NAMES =
  'NUMERIC|DECIMAL|TINYINT|SMALLINT|INTEGER|INT|BIGINT|HUGEINT|INT[248]|FLOAT[48]?|REAL|DOUBLE|BOOL|BOOLEAN|UUID|TEXT|VARCHAR|CHAR|BPCHAR|STRING|JSONB?|BYTEA|BLOB';
const OTHERS = new RegExp(`^(?:${TYPED_NAMES})$`, 'i');
const TYPED = new RegExp(`^(?:TIMESTAMP|TIME|${TYPED_NAMES})$`, 'i');

function ofColons(nodes: Nodes, at: number, source: string): Rewritten | undefined {
  if (isWord(nodes[at + 1], 'INTERVAL')) throw refused(INTERVALS);
  const type = writtenType(nodes, at + 1, source);
  return type?.isForeign ? { text: `::${type.text}`, end: type.end } : undefined;
}

const TEXTS = /^(?:TEXT|VARCHAR|STRING)$/i;
const INTERVALS = "INTERVAL is read of a written text: x + INTERVAL '1 day', or of a number, x + n * INTERVAL '1 day'"; // prettier-ignore

/** The place of AS before the type. */
const asOf = ({ nodes }: Group): number => nodes.findLastIndex((node) => isWord(node, 'AS'));

function ofCast(list: Group, at: number, source: string, write: Write): Rewritten | undefined {
  const as = asOf(list);
  if (as < 1) return undefined;
  const value = list.nodes.slice(0, as);
  const [only, more] = value;
  if (isWord(list.nodes[as + 1], 'INTERVAL') && as + 2 === list.nodes.length) {
    if (only?.kind !== 'text' || more) throw refused(INTERVALS);
    return { text: writtenInterval(only.value), end: at + 2 };
  }
  const type = writtenType(list.nodes, as + 1, source);
  // The engine would leave zeros at the end out.
  const isDigits = only?.kind === 'number' && !more && /^\d*\.\d+$/.test(only.text);
  if (isDigits && TEXTS.test(type?.text ?? ''))
    return {
      text: `CAST(${quoteText(only.text.replace(/^\./, '0.'))} AS ${type?.text ?? ''})`,
      end: at + 2,
    };
  if (!type?.isForeign || type.end !== list.nodes.length) return undefined;
  return { text: `CAST(${write(value)} AS ${type.text})`, end: at + 2 };
}

function ofTryCast(list: Group, at: number, source: string, write: Write): Rewritten | undefined {
  const as = asOf(list);
  const words = list.nodes.slice(as + 1);
  if (as < 1 || words.length === 0) return undefined;
  const type = writtenType(words, 0, source);
  // There is a text of each value.
  if (type?.end === words.length && TEXTS.test(type.text))
    return ofCast(list, at, source, write) ?? { text: `CAST${write([list])}`, end: at + 2 };
  const isWhole = type?.end === words.length;
  if (isWhole && /^(?:Array|Map|Tuple)\(/.test(type.text))
    throw refused('TRY_CAST is of single values: list_transform(x, e -> TRY_CAST(e AS INTEGER)) tries each of a list'); // prettier-ignore
  const name = isWhole ? type.text : source.slice(startOf(words), endOf(words));
  return { text: `try_cast(${write(list.nodes.slice(0, as))}, ${quoteText(name)})`, end: at + 2 };
}
