import { certain } from '@app/platform';
import { ExpressionScopes } from './expression-scopes.js';
import { isRepeated } from './repeated-tables.js';
import { asWritten } from '../spell-out.js';
import { FUNCTION, IDENTIFIER, NODE, TABLE_SECTION, type Name } from './print-nodes.js';
import { takesText } from '../arguments/text-arguments.js';
import { constantArgument, type Argument, type TextCall } from '../arguments/text-call.js';

/** The names in a statement, read from the engine's own print of its tree. */
export interface TreeFindings {
  /** Names of functions, as written. */
  readonly functions: ReadonlySet<string>;
  readonly tableFunctions: ReadonlySet<string>;
  /** Names at the place of a table. */
  readonly tables: readonly Name[];
  /** Tables without an alias whose name occurs a second time in the same FROM. */
  readonly repeated: readonly Name[];
  /** Names on the right of IN: a table, or a column. */
  readonly inOperands: readonly Name[];
  /** Names that are arguments of a function which takes functions. If such a name is a function's, it is called. */
  readonly references: readonly Name[];
  /** Names of functions that the statement defines. */
  readonly lambdas: ReadonlySet<string>;
  /** Names anywhere else, and references. */
  readonly columns: readonly Name[];
  /** Names of common table expressions. */
  readonly expressions: ReadonlySet<string>;
  /** Names in FROM that the engine may take for a table although an expression has the same name. */
  readonly loose: ReadonlySet<string>;
  /** The settings of queries within the statement. */
  readonly innerSettings: readonly string[];
  /** Tells whether a text or a name could be a type by which the engine would take bytes for its own internal state. */
  readonly namesState: boolean;
  /** Calls of functions that interpret one of their texts. */
  readonly calls: readonly TextCall[];
  /** Types at the end of names within JSON. */
  readonly typesInNames: readonly string[];
  /** The texts of aliases that stand for exactly one text and nothing else. */
  readonly texts: ReadonlyMap<string, string>;
  /** Lines that belong to none of the known kinds. */
  readonly unknown: readonly string[];
}

const SECTION =
  /^ *(?:WITH|PROJECTION(?: COLUMNS)?|PROJECTION ALIASES TO OVERRIDE|JOIN TREE|PREWHERE|WHERE|GROUP BY|HAVING|WINDOW|QUALIFY|ORDER BY|INTERPOLATE|LIMIT BY LIMIT|LIMIT BY OFFSET|LIMIT BY|LIMIT|OFFSET|ARGUMENTS ?|PARAMETERS|TABLE EXPRESSION|TABLE EXPRESSIONS|LEFT TABLE EXPRESSION|RIGHT TABLE EXPRESSION|JOIN EXPRESSIONS?|PARTITION BY|FRAME BEGIN OFFSET|FRAME END OFFSET|FILL FROM|FILL TO|FILL STEP|FILL STALENESS|QUERIES|EXPRESSION ?|INTERPOLATE_EXPRESSION|REPLACEMENTS \d+|DISTINCT ON)$/;
/** Sections that end in a name of the author's: `EXPRESSION x`, `REPLACEMENT NAME x EXPRESSION`. */
const NAMED_SECTION = /^ *(?:EXPRESSION .+|REPLACEMENT NAME .+ EXPRESSION)$/;
const SETTINGS = /^ *SETTINGS (.*)$/;
const IN_FUNCTIONS = /^(?:global)?(?:not)?(?:null)?in(?:ignoreset)?$/i;

interface OpenNode {
  readonly indent: number;
  readonly label: string;
  /** LIST only: the number of children so far. */
  children: number;
  /** QUERY only: the tables of its FROM that have no alias, and all other names in it. */
  readonly unnamed: Set<string>;
  readonly named: Set<string>;
  /** FUNCTION only: the call. */
  readonly call: OpenCall | undefined;
}

interface OpenCall extends TextCall {
  readonly arguments: Argument[];
}

const TABLE_FUNCTION = /^(?:alias: [^,]*, )?table_function_name: ([^,]+)(?:, .*)?$/;
/** Functions that take functions as arguments, also by their bare names. */
const HIGHER = /^(?:array|map)/i;
/** Only the engine itself may make a value of such a type. Types are read strictly where they stand; this searches all other texts and names. */
const STATE = /AggregateFunction(?!\w).*\(/is;
/** `a.:Int64`, of JSON; brackets may follow. */
const TYPE_IN_NAME = /^:`?(.*?)`?(?:\[\])*$/s;

/**
 * Reads the print line by line. Names in it contain neither commas nor line breaks: see
 * `spell-out.ts`. A node with an unexpected number, or a line of an unknown form, is reported and
 * refused.
 */
export function inspectTree(print: string): TreeFindings {
  const scopes = new ExpressionScopes();
  const findings: Findings = {
    scopes,
    loose: scopes.loose,
    functions: new Set(),
    tableFunctions: new Set(),
    tables: [],
    repeated: [],
    inOperands: [],
    columns: [],
    references: [],
    lambdas: new Set(),
    expressions: new Set(),
    innerSettings: [],
    namesState: false,
    calls: [],
    typesInNames: [],
    texts: new Map(),
    ambiguous: new Set(),
    unknown: [],
  };
  const path: OpenNode[] = [];
  let nodes = 0;
  for (const line of print.split('\n')) {
    if (line.trim() === '') continue;
    const indent = line.length - line.trimStart().length;
    while ((path.at(-1)?.indent ?? -1) >= indent) path.pop();
    const parent = path.at(-1);
    if (parent) parent.children += 1;
    const [node, kind, number, attributes = ''] = NODE.exec(line) ?? [];
    if (node !== undefined && Number(number) !== nodes++) findings.unknown.push(line);
    const read = node
      ? readNode(certain(kind, 'kind of a node'), attributes, path, findings)
      : { label: readSection(line, findings), call: undefined };
    path.push({ indent, ...read, children: 0, unnamed: new Set(), named: new Set() });
  }
  for (const name of findings.ambiguous) findings.texts.delete(name);
  return findings;
}

interface Findings {
  readonly scopes: ExpressionScopes;
  readonly loose: ReadonlySet<string>;
  functions: Set<string>;
  tableFunctions: Set<string>;
  tables: Name[];
  repeated: Name[];
  inOperands: Name[];
  columns: Name[];
  references: Name[];
  lambdas: Set<string>;
  expressions: Set<string>;
  innerSettings: string[];
  namesState: boolean;
  calls: TextCall[];
  typesInNames: string[];
  texts: Map<string, string>;
  /** Names that stand for several things, or for something that is no text. */
  ambiguous: Set<string>;
  unknown: string[];
}

/** @returns the line's label for its children's path. */
function readSection(line: string, findings: Findings): string {
  const settings = SETTINGS.exec(line);
  if (settings) findings.innerSettings.push(certain(settings[1], 'text of SETTINGS'));
  else if (!SECTION.test(line) && !NAMED_SECTION.test(line)) findings.unknown.push(line);
  return line.trim();
}

function readNode(
  kind: string,
  attributes: string,
  path: readonly OpenNode[],
  findings: Findings,
): Pick<OpenNode, 'label' | 'call'> {
  const name = (form: RegExp): string => {
    const found = form.exec(attributes)?.[1];
    if (found === undefined) findings.unknown.push(attributes);
    return found ?? '';
  };
  const alias = /^alias: ([^,]+)/.exec(attributes)?.[1];
  const outer = callOf(path);
  if (kind === 'FUNCTION') {
    const called = asWritten(name(FUNCTION));
    findings.functions.add(called);
    const call = openCall(called, false, findings);
    outer?.arguments.push({ kind: 'call', call });
    if (alias !== undefined) findings.ambiguous.add(asWritten(alias));
    if (HIGHER.test(called)) return { label: 'HIGHER', call };
    return { label: IN_FUNCTIONS.test(called) ? 'IN' : kind, call };
  }
  if (kind === 'TABLE_FUNCTION') {
    const called = asWritten(name(TABLE_FUNCTION));
    findings.tableFunctions.add(called);
    readAlias(kind, attributes, alias, path, findings);
    return { label: kind, call: openCall(called, true, findings) };
  }
  if (kind === 'CONSTANT') readConstant(attributes, alias, outer, findings);
  else if (kind === 'IDENTIFIER') readIdentifier(name(IDENTIFIER), path, outer, findings);
  else outer?.arguments.push({ kind: 'other' });
  readAlias(kind, attributes, alias, path, findings);
  return { label: kind, call: undefined };
}

function openCall(name: string, isTable: boolean, findings: Findings): OpenCall {
  const call = { name, isTable, arguments: [] };
  if (isTable || takesText(name)) findings.calls.push(call);
  return call;
}

/** The function whose argument is read: function → ARGUMENTS → LIST → this. */
function callOf(path: readonly OpenNode[]): OpenCall | undefined {
  const [call, section, list] = path.slice(-3);
  return section?.label === 'ARGUMENTS' && list?.label === 'LIST' ? call?.call : undefined;
}

function readConstant(
  attributes: string,
  alias: string | undefined,
  outer: OpenCall | undefined,
  findings: Findings,
): void {
  if (STATE.test(attributes)) findings.namesState = true;
  const value = constantArgument(attributes);
  outer?.arguments.push(value);
  if (alias === undefined) return;
  const known = asWritten(alias);
  const text = value.kind === 'text' ? value.text : undefined;
  if (text === undefined || (findings.texts.get(known) ?? text) !== text)
    findings.ambiguous.add(known);
  else findings.texts.set(known, text);
}

function readIdentifier(
  identifier: string,
  path: readonly OpenNode[],
  outer: OpenCall | undefined,
  findings: Findings,
): void {
  const [first, ...more] = identifier.split('.').map(asWritten);
  const only = certain(first, 'first word of a name');
  const whole: Name = [only, ...more];
  outer?.arguments.push(more.length > 0 ? { kind: 'other' } : { kind: 'name', name: only });
  for (const word of more) {
    const type = TYPE_IN_NAME.exec(word)?.[1];
    if (type !== undefined) findings.typesInNames.push(type);
    else if (STATE.test(word)) findings.namesState = true;
  }
  if (path.at(-3)?.label === 'LAMBDA') findings.ambiguous.add(only);
  if (TABLE_SECTION.test(path.at(-1)?.label ?? '')) {
    findings.tables.push(whole);
    findings.scopes.refer(only, path);
    return;
  }
  if (isSecondArgument(path, 'IN')) findings.inOperands.push(whole);
  else {
    findings.columns.push(whole);
    if (path.at(-3)?.label === 'HIGHER') findings.references.push(whole);
  }
}

function readAlias(
  kind: string,
  attributes: string,
  alias: string | undefined,
  path: readonly OpenNode[],
  findings: Findings,
): void {
  if (TABLE_SECTION.test(path.at(-1)?.label ?? '')) {
    const table = kind === 'IDENTIFIER' ? IDENTIFIER.exec(attributes)?.[1] : undefined;
    if (isRepeated(path, table, alias))
      findings.repeated.push([asWritten(certain(table ?? alias, 'name of a repeated table'))]);
  }
  if (kind === 'LAMBDA' && alias !== undefined) findings.lambdas.add(asWritten(alias));
  if (kind !== 'CONSTANT' && alias !== undefined) findings.ambiguous.add(asWritten(alias));
  const expression = /(?:^|, )cte_name: ([^,]+)/.exec(attributes)?.[1];
  if (expression === undefined || kind === 'CONSTANT') return;
  findings.expressions.add(asWritten(expression));
  findings.scopes.declare(asWritten(expression), path);
}

/** Function → ARGUMENTS → LIST → second child. */
function isSecondArgument(path: readonly OpenNode[], of: 'IN'): boolean {
  const [call, section, list] = path.slice(-3);
  return (
    call?.label === of &&
    section?.label === 'ARGUMENTS' &&
    list?.label === 'LIST' &&
    list.children === 2
  );
}
