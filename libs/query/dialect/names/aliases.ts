import { meaningsOf } from './combined-columns.js';
import { columnsOfQuery } from './selected-values.js';
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
  const columnsOf = keptOf(columnsOfQuery);
  const listsOf = keptOf(listsAmong);
  const look = (list: Nodes, caller: string, args: Nodes): void => {
    let from = 0;
    for (const [at, node] of list.entries()) {
      const isCall = !isLambda(node);
      if (node.kind === 'group')
        look(node.nodes, isCall ? (list[at - 1]?.text ?? '') : caller, isCall ? node.nodes : args);
      if (isSymbol(node, ',') || BEFORE_VALUE.some((word) => isWord(node, word))) from = at + 1;
      const standsFor = (place: number): readonly Nodes[] | undefined => {
        if (!isSymbol(list[at + 1], '->')) return meaningsOf(columnsOf(queryNamed(list, at))[place]?.values); // prettier-ignore
        return OF_ELEMENTS.test(caller) ? [elementOf(listsOf(args)[place])] : undefined;
      };
      for (const [place, hidden] of hiddenBy(list, at).entries())
        for (const stands of standsFor(place) ?? [NOTHING_KNOWN]) add(hidden, stands);
      const name = isWord(node, 'AS') ? nameOf(list[at + 1]) : undefined;
      if (name === undefined || isWord(list[at + 1], 'SELECT')) continue;
      add(name, list.slice(from, at));
    }
  };
  look(nodes, '', nodes);
  return aliases;
}

/** Words that a list of values with names follows. */
const BEFORE_VALUE = ['SELECT', 'DISTINCT', 'WITH'];

/** Marks a name without a type of its own. */
const NOTHING_KNOWN: Nodes = [];

/** Finds the same for the same nodes once: each of thousands of names asks for it. */
function keptOf<Found>(find: (nodes: Nodes) => Found): (nodes: Nodes) => Found {
  const kept = new Map<Nodes, Found>();
  return (nodes) => {
    const found = kept.get(nodes) ?? find(nodes);
    kept.set(nodes, found);
    return found;
  };
}

/** The query whose columns `WITH v(n) AS (SELECT …)` and `(SELECT …) AS v(n)` name. */
function queryNamed(list: Nodes, at: number): Nodes {
  const query = isWord(list[at + 1], 'AS') ? list[at + 2] : list[at - 3];
  return isList(query) ? query.nodes : NOTHING_KNOWN;
}

/** Functions that call a lambda with an element of each list. */
const OF_ELEMENTS =
  /^(?:array(?:Map|Filter|Exists|All|Count|Sum|Avg|Min|Max|Sort|ReverseSort|First|Last|FirstIndex|LastIndex)|(?:list|array)_(?:transform|apply|filter))$/i;

/** The engine prints a lambda behind another argument in brackets. */
const isLambda = (node: Node): boolean =>
  isList(node) && isSymbol(node.nodes[1], '->') && itemsOf(node.nodes).length === 1;

/** The arguments that are no lambdas. */
const listsAmong = (args: Nodes): readonly Nodes[] =>
  itemsOf(args).filter((item) => !item.some((node) => isSymbol(node, '->') || isLambda(node)));

/** Writes what a parameter of a lambda stands for, `list[1]`. */
function elementOf(list: Nodes | undefined): Nodes {
  const [first] = list ?? [];
  if (list === undefined || first === undefined) return NOTHING_KNOWN;
  const group = { kind: 'group', start: first.start, end: first.end } as const;
  const whole: Group = { ...group, text: '(', nodes: list };
  return [whole, { ...group, text: '[', nodes: list.slice(0, 1) }];
}
