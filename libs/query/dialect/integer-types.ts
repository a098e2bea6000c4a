import { callAt, operandEnd, signedOperandEnd } from './operands.js';
import { isList, isSymbol, isWord, itemsOf, type Node, type Nodes } from './source-tree.js';

/** What is known of an expression before it runs: a signed or an unsigned integer, a text, or that it is neither. */
export type Kind = 'signed' | 'unsigned' | 'literal' | 'text' | 'other' | 'unknown';

/** Tells of a column by its name: `undefined` where no table of the statement has it. */
export type KindOfColumn = (name: string) => Kind | undefined;

export const isInteger = (kind: Kind): boolean =>
  kind === 'signed' || kind === 'unsigned' || kind === 'literal';

const COUNTS = /^(?:count|countIf|countDistinct|uniq|uniqExact|row_number|rank|dense_rank)$/i;
const LENGTHS = /^(?:length|lengthUTF8|char_length|position)$/i;
const KEEPS = /^(?:sum|min|max|any|anyLast|abs|first_value|last_value|lag|lead)(?:If)?$/i;
const CHOOSES = /^(?:ifNull|coalesce|nvl|greatest|least)$/i;
const SIGNED_TYPE = /^(?:Int(?:8|16|32|64)|(?:TINY|SMALL|BIG)?INT|INTEGER)$/i;
const DEPTH_MAX = 20;
/** Of one question: names that stand for one another several times make as many as they like. */
const STEPS_MAX = 1000;

/** Finds out which expressions are integers of at most 64 bits. */
export class IntegerTypes {
  private steps = 0;

  /** @param aliases of the whole statement; undefined for one that stands for several things. */
  constructor(
    private readonly kindOfColumn: KindOfColumn,
    private readonly aliases: ReadonlyMap<string, Nodes | undefined>,
  ) {}

  kindOf(nodes: Nodes, depth = 0): Kind {
    this.steps = depth === 0 ? 0 : this.steps + 1;
    if (depth > DEPTH_MAX || this.steps > STEPS_MAX) return 'unknown';
    const [first, second] = nodes;
    if (!first) return 'unknown';
    if (nodes.length === 1) return this.kindOfOne(first, depth);
    if (isSymbol(first, '-') && operandEnd(nodes, 1) === nodes.length) {
      const kind = this.kindOf(nodes.slice(1), depth + 1);
      return kind === 'unsigned' ? 'signed' : kind;
    }
    if (isSymbol(second, '.')) return this.kindOfPath(nodes);
    const call = callAt(nodes, 0);
    if (call?.end === nodes.length) return call.more ? 'unknown' : this.kindOfCall(nodes, depth);
    const end = signedOperandEnd(nodes, 0);
    const operator = end === undefined ? undefined : nodes[end];
    if (end === undefined || operator?.kind !== 'symbol') return 'unknown';
    if (operator.text === '/') return 'other';
    if (!/^[-+*]$/.test(operator.text)) return 'unknown';
    const left = this.kindOf(nodes.slice(0, end), depth + 1);
    const kind = joined(operator.text, left, this.kindOf(nodes.slice(end + 1), depth + 1));
    const isNegative = isSymbol(first, '-') || isSymbol(nodes[end + 1], '-');
    return kind === 'unsigned' && isNegative ? 'signed' : kind;
  }

  private kindOfOne(node: Node, depth: number): Kind {
    if (node.kind === 'number') return /^\d+$/.test(node.text) ? 'literal' : 'other';
    if (node.kind === 'text') return 'text';
    if (node.kind === 'group') return isList(node) ? this.kindOf(node.nodes, depth + 1) : 'unknown';
    if (node.kind === 'symbol') return 'unknown';
    const kind = this.kindOfColumn(node.value);
    if (kind !== undefined) return kind;
    const stands = this.aliases.get(node.value);
    return stands ? this.kindOf(stands, depth + 1) : 'unknown';
  }

  /** `t.v`; or a column of that name, with the dot. */
  private kindOfPath(nodes: Nodes): Kind {
    const names = nodes.filter((_, at) => at % 2 === 0).map((node) => nameOf(node));
    if (names.includes(undefined)) return 'unknown';
    const whole = this.kindOfColumn(names.join('.'));
    if (whole !== undefined) return whole;
    return names.length === 2 ? this.kindOfOne(nodes[2] as Node, DEPTH_MAX) : 'unknown';
  }

  private kindOfCall(nodes: Nodes, depth: number): Kind {
    const [word, list] = nodes;
    const name = nameOf(word) ?? '';
    if (COUNTS.test(name) || LENGTHS.test(name)) return 'unsigned';
    if (!isList(list)) return 'unknown';
    const [first = [], type] = itemsOf(list.nodes);
    if (KEEPS.test(name)) return columnLike(this.kindOf(first, depth + 1));
    if (CHOOSES.test(name)) {
      const kinds = itemsOf(list.nodes).map((part) => this.kindOf(part, depth + 1));
      return kinds.reduce((one, other) => joined('+', one, other));
    }
    if (/^toU?Int(?:8|16|32|64)$/.test(name)) return name.startsWith('toU') ? 'unsigned' : 'signed';
    if (/^to(?:Float|Decimal|Date)/.test(name)) return 'other';
    const target = type?.length === 1 && type[0]?.kind === 'text' ? type[0].value : undefined;
    if (!/^CAST$/i.test(name) || target === undefined) return 'unknown';
    if (SIGNED_TYPE.test(target)) return 'signed';
    return /^UInt(?:8|16|32|64)$/.test(target) ? 'unsigned' : 'other';
  }
}

const nameOf = (node: Node | undefined): string | undefined =>
  node?.kind === 'word' || node?.kind === 'name' ? node.value : undefined;

const columnLike = (kind: Kind): Kind => (kind === 'literal' ? 'unknown' : kind);

function joined(operator: string, left: Kind, right: Kind): Kind {
  if (/^(?:other|text)$/.test(left) || /^(?:other|text)$/.test(right)) return 'other';
  if (left === 'unknown' || right === 'unknown') return 'unknown';
  if (left === 'literal' && right === 'literal') return 'literal';
  if (operator === '-' || left === 'signed' || right === 'signed') return 'signed';
  return 'unsigned';
}

/** What names stand for, by `expression AS name`, wherever it is. */
export function aliasesOf(nodes: Nodes): ReadonlyMap<string, Nodes | undefined> {
  const aliases = new Map<string, Nodes | undefined>();
  const look = (list: Nodes): void => {
    let from = 0;
    for (const [at, node] of list.entries()) {
      if (node.kind === 'group') look(node.nodes);
      if (isSymbol(node, ',') || isWord(node, 'SELECT') || isWord(node, 'DISTINCT')) from = at + 1;
      const name = isWord(node, 'AS') ? nameOf(list[at + 1]) : undefined;
      if (name === undefined || isWord(list[at + 1], 'SELECT')) continue;
      aliases.set(name, aliases.has(name) ? undefined : list.slice(from, at));
    }
  };
  look(nodes);
  return aliases;
}
