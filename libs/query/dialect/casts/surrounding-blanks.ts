import { quoteText } from '@app/warehouse';
import type { Nodes } from '../source-tree.js';
import type { Known } from './known-type.js';

/** A value that is cast. */
interface Value {
  readonly nodes: Nodes;
  readonly type: Known;
  readonly value: string;
}

const BLANKS = /^[ \t\n\v\f\r]+|[ \t\n\v\f\r]+$/g;

/** A text without what the standard calls blanks at its ends. */
export const trimmed = (text: string): string => `trimBoth(${text}, ' \\t\\n\\v\\f\\r')`;

/** A text without blanks at its ends, which `' 12 '::INTEGER` may have in the standard. */
export function withoutBlanks<T extends Value>(source: T): T {
  const { nodes, type, value } = source;
  const isBase64 = type.bytes !== undefined && !type.isRaw;
  if (type.kind !== 'text' || isBase64) return source;
  const [only, more] = nodes;
  if (only?.kind !== 'text' || more) return { ...source, value: trimmed(value) };
  return { ...source, value: quoteText(only.value.replace(BLANKS, '')) };
}
