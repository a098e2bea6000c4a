import { choicesOf } from '../casts/choices.js';
import { callAt, type Call } from '../operands.js';
import { isQuery, isSymbol, isWord, itemAt, itemsOf, type Nodes } from '../source-tree.js';

const CONDITION_WORDS = /^(?:AND|OR|NOT|IN|LIKE|ILIKE|REGEXP|IS|BETWEEN)$/;
const CONDITION_SYMBOLS = /^(?:=|==|!=|<>|<|>|<=|>=|<=>)$/;
const CONDITION_CALLS =
  /^(?:and|or|not|xor|equals|notEquals|less|greater|lessOrEquals|greaterOrEquals|isNull|isNotNull|like|notLike|ilike|notILike|match|startsWith|endsWith|has|hasAll|hasAny|in|notIn|exists|empty|notEmpty|isNaN|isFinite|isInfinite|isInf|mapContains|arrayExists|arrayAll|JSONHas|json_exists|isValidJSON|hasToken|xor)$/i;
/** These functions return one of their arguments. */
const KEEPS = /^(?:min|max|any|any_value|anyLast|first_value|last_value|lag|lead|nullIf)(?:If)?$/i;

/** True for an item with a boolean value. */
export function isCondition(nodes: Nodes): boolean {
  const [first, second] = nodes;
  if (nodes.length === 1 && first?.kind === 'group')
    return first.text === '(' && !isQuery(first.nodes) && isCondition(first.nodes);
  const call = callAt(nodes, 0);
  if (call?.end === nodes.length && second?.kind === 'group')
    return call.more === undefined && (CONDITION_CALLS.test(call.name) || isChoice(call));
  if (nodes.some((node) => isSymbol(node, '->') || isSymbol(node, ',') || isWord(node, 'AS')))
    return false;
  return nodes.some(
    (node, at) =>
      (node.kind === 'symbol' && CONDITION_SYMBOLS.test(node.text)) ||
      (node.kind === 'word' && CONDITION_WORDS.test(node.text) && !isSymbol(nodes[at - 1], '.')),
  );
}

/** True for CASE and the like if each possible result is true, false or null. */
function isChoice({ name, list }: Call): boolean {
  const values = itemsOf(list.nodes);
  if (values.length === 0) return false;
  const places = KEEPS.test(name) ? [0] : choicesOf(name, values.length);
  const chosen = places
    .map((at) => itemAt(values, at))
    .filter((value) => !isConstant(value, 'NULL'));
  return (
    chosen.some(isCondition) &&
    chosen.every((value) => isConstant(value, 'TRUE') || isConstant(value, 'FALSE') || isCondition(value)) // prettier-ignore
  );
}

const isConstant = ([only, more]: Nodes, word: string): boolean =>
  more === undefined && isWord(only, word);
