import { certain } from '@app/platform';
import { asWritten } from '../spell-out.js';

/** The words of a name: `a.b` has two, a quoted `a.b` one. */
export type Name = readonly [first: string, ...more: string[]];

/** A line of the engine's print of a tree: a node, or a section of one. */
export interface PrintNode {
  /** The kind of the node, or the words of the section. */
  readonly label: string;
  readonly attributes: string;
  readonly parent: PrintNode | undefined;
  readonly children: PrintNode[];
}

export const NODE =
  /^ *(QUERY|UNION|LIST|IDENTIFIER|FUNCTION|CONSTANT|LAMBDA|MATCHER|TABLE_FUNCTION|JOIN|CROSS JOIN|ARRAY_JOIN|SORT|WINDOW|INTERPOLATE|(?:EXCEPT|REPLACE|APPLY) COLUMN TRANSFORMER) id: (\d+)(?:, (.*))?$/;
export const IDENTIFIER =
  /^(?:alias: [^,]*, )?identifier: ([^,]+)(?:, final: .*|, sample_size: .*)?$/;
export const FUNCTION = /^(?:alias: [^,]*, )?function_name: ([^,]+), function_type: \w+(?:, .*)?$/;
/** Sections whose child is a table. */
export const TABLE_SECTION =
  /^(?:JOIN TREE|TABLE EXPRESSION|LEFT TABLE EXPRESSION|RIGHT TABLE EXPRESSION)$/;

/** All lines of a print, as a tree. @returns each node before its children. */
export function nodesOf(print: string): readonly PrintNode[] {
  const nodes: PrintNode[] = [];
  const path: { readonly indent: number; readonly node: PrintNode }[] = [];
  for (const line of print.split('\n')) {
    if (line.trim() === '') continue;
    const indent = line.length - line.trimStart().length;
    while ((path.at(-1)?.indent ?? -1) >= indent) path.pop();
    const parent = path.at(-1)?.node;
    const [, kind, , attributes = ''] = NODE.exec(line) ?? [];
    const node = { label: kind ?? line.trim(), attributes, parent, children: [] };
    parent?.children.push(node);
    nodes.push(node);
    path.push({ indent, node });
  }
  return nodes;
}

/** The name that an IDENTIFIER has; undefined for any other node. */
export function nameIn({ label, attributes }: PrintNode): Name | undefined {
  const whole = label === 'IDENTIFIER' ? IDENTIFIER.exec(attributes)?.[1] : undefined;
  if (whole === undefined) return undefined;
  const [first, ...more] = whole.split('.').map(asWritten);
  return [certain(first, 'first word of a name'), ...more];
}

export function functionIn({ label, attributes }: PrintNode): string | undefined {
  const name = label === 'FUNCTION' ? FUNCTION.exec(attributes)?.[1] : undefined;
  return name === undefined ? undefined : asWritten(name);
}

export function aliasIn({ attributes }: PrintNode): string | undefined {
  const alias = /^alias: ([^,]+)/.exec(attributes)?.[1];
  return alias === undefined ? undefined : asWritten(alias);
}

/** The name of a common table expression. */
export function expressionIn({ label, attributes }: PrintNode): string | undefined {
  const name = /(?:^|, )cte_name: ([^,]+)/.exec(attributes)?.[1];
  return name === undefined || label === 'CONSTANT' ? undefined : asWritten(name);
}

export const isTablePlace = ({ parent }: PrintNode): boolean =>
  TABLE_SECTION.test(parent?.label ?? '');

/** The nodes from the outermost one to this one. */
export function pathTo(node: PrintNode): readonly PrintNode[] {
  const path: PrintNode[] = [];
  for (let at: PrintNode | undefined = node; at; at = at.parent) path.unshift(at);
  return path;
}
