import { selectedValues } from './selected-values.js';
import { hiddenBy } from './hidden-names.js';
import {
  isList,
  isSymbol,
  isWord,
  itemsOf,
  nameOf,
  type Group,
  type Node,
  type Nodes,
} from '../source-tree.js';

/** Finds the expressions behind names, by `expression AS name`, wherever it is. */
export function aliasesOf(nodes: Nodes): ReadonlyMap<string, readonly Nodes[]> {
  const aliases = new Map<string, Nodes[]>();
  const add = (name: string, stands: Nodes): void => {
    const known = aliases.get(name) ?? [];
    known.push(stands);
    aliases.set(name, known);
  };
  const look = (list: Nodes, caller: string, args: Nodes): void => {
    let from = 0;
    for (const [at, node] of list.entries()) {
      const isCall = !isLambda(node);
      if (node.kind === 'group')
        look(node.nodes, isCall ? (list[at - 1]?.text ?? '') : caller, isCall ? node.nodes : args);
      if (isSymbol(node, ',') || isWord(node, 'SELECT') || isWord(node, 'DISTINCT')) from = at + 1;
      for (const [place, hidden] of hiddenBy(list, at).entries())
        add(
          hidden,
          isSymbol(list[at + 1], '->') ? elementOf(args, caller, place) : columnOf(list, at, place),
        );
      const name = isWord(node, 'AS') ? nameOf(list[at + 1]) : undefined;
      if (name === undefined || isWord(list[at + 1], 'SELECT')) continue;
      add(name, list.slice(from, at));
    }
  };
  look(nodes, '', nodes);
  return aliases;
}

/** Marks a name without a type of its own. */
const NOTHING_KNOWN: Nodes = [];

/** Finds the value behind a name in `WITH v(n) AS (SELECT …)` and `(SELECT …) AS v(n)`. */
function columnOf(list: Nodes, at: number, place: number): Nodes {
  const query = isWord(list[at + 1], 'AS') ? list[at + 2] : list[at - 3];
  return (isList(query) ? selectedValues(query.nodes)[place] : undefined) ?? NOTHING_KNOWN;
}

/** Functions that call a lambda with an element of each list. */
const OF_ELEMENTS =
  /^(?:array(?:Map|Filter|Exists|All|Count|Sum|Avg|Min|Max|Sort|ReverseSort|First|Last|FirstIndex|LastIndex)|(?:list|array)_(?:transform|apply|filter))$/i;

/** The engine prints a lambda behind another argument in brackets. */
const isLambda = (node: Node): boolean =>
  isList(node) && isSymbol(node.nodes[1], '->') && itemsOf(node.nodes).length === 1;

/** Writes what a parameter of a lambda stands for, `list[1]`. */
function elementOf(args: Nodes, caller: string, place: number): Nodes {
  if (!OF_ELEMENTS.test(caller)) return NOTHING_KNOWN;
  const lists = itemsOf(args).filter(
    (item) => !item.some((node) => isSymbol(node, '->') || isLambda(node)),
  );
  const [list] = lists.slice(place);
  const [first] = list ?? [];
  if (list === undefined || first === undefined) return NOTHING_KNOWN;
  const group = { kind: 'group', start: first.start, end: first.end } as const;
  const whole: Group = { ...group, text: '(', nodes: list };
  return [whole, { ...group, text: '[', nodes: list.slice(0, 1) }];
}
