/** What a statement names, read off the engine's own print of its tree. */
export interface TreeFindings {
  /** Names of functions, as written. */
  readonly functions: ReadonlySet<string>;
  readonly tableFunctions: ReadonlySet<string>;
  /** Identifiers where a table stands. */
  readonly tables: ReadonlySet<string>;
  /** Identifiers on the right of IN: a table, or a column. */
  readonly inOperands: ReadonlySet<string>;
  /** Names of common table expressions. */
  readonly expressions: ReadonlySet<string>;
  readonly settings: readonly string[];
  /** Lines that are none of the known kinds. */
  readonly unknown: readonly string[];
}

const NODE =
  /^ *(QUERY|UNION|LIST|IDENTIFIER|FUNCTION|CONSTANT|LAMBDA|MATCHER|TABLE_FUNCTION|JOIN|CROSS JOIN|ARRAY_JOIN|SORT|WINDOW|INTERPOLATE|(?:EXCEPT|REPLACE|APPLY) COLUMN TRANSFORMER) id: \d+(?:, (.*))?$/;
const SECTION =
  /^ *(?:WITH|PROJECTION(?: COLUMNS)?|PROJECTION ALIASES TO OVERRIDE|JOIN TREE|PREWHERE|WHERE|GROUP BY|HAVING|WINDOW|QUALIFY|ORDER BY|INTERPOLATE|LIMIT BY LIMIT|LIMIT BY OFFSET|LIMIT BY|LIMIT|OFFSET|ARGUMENTS ?|PARAMETERS|TABLE EXPRESSION|TABLE EXPRESSIONS|LEFT TABLE EXPRESSION|RIGHT TABLE EXPRESSION|JOIN EXPRESSIONS?|PARTITION BY|FRAME BEGIN OFFSET|FRAME END OFFSET|FILL FROM|FILL TO|FILL STEP|FILL STALENESS|QUERIES|EXPRESSION ?|INTERPOLATE_EXPRESSION|REPLACEMENTS \d+|DISTINCT ON)$/;
/** Sections that end in a name of the user's: `EXPRESSION x`, `REPLACEMENT NAME x EXPRESSION`. */
const NAMED_SECTION = /^ *(?:EXPRESSION .+|REPLACEMENT NAME .+ EXPRESSION)$/;
const SETTINGS = /^ *SETTINGS (.*)$/;
/** Sections whose child is a table. */
const TABLE_SECTION =
  /^(?:JOIN TREE|TABLE EXPRESSION|LEFT TABLE EXPRESSION|RIGHT TABLE EXPRESSION)$/;
const IN_FUNCTIONS = /^(?:global)?(?:not)?(?:null)?in(?:ignoreset)?$/i;

interface OpenNode {
  readonly indent: number;
  readonly label: string;
  /** Of a LIST: how many children have been seen. */
  children: number;
}

/**
 * Reads the print line by line. Whatever a user's text smuggles into a line of its own can only
 * add findings, never hide any; a line of no known form is reported and refused.
 */
export function inspectTree(print: string): TreeFindings {
  const findings = {
    functions: new Set<string>(),
    tableFunctions: new Set<string>(),
    tables: new Set<string>(),
    inOperands: new Set<string>(),
    expressions: new Set<string>(),
    settings: [] as string[],
    unknown: [] as string[],
  };
  const path: OpenNode[] = [];
  for (const line of print.split('\n')) {
    if (line.trim() === '') continue;
    const indent = line.length - line.trimStart().length;
    while ((path.at(-1)?.indent ?? -1) >= indent) path.pop();
    const parent = path.at(-1);
    if (parent) parent.children += 1;
    const label = readLine(line, path, findings);
    path.push({ indent, label, children: 0 });
  }
  return findings;
}

type Findings = {
  -readonly [Key in keyof TreeFindings]: TreeFindings[Key] extends ReadonlySet<string>
    ? Set<string>
    : string[];
};

/** @returns the line's label for its children's path. */
function readLine(line: string, path: readonly OpenNode[], findings: Findings): string {
  const settings = SETTINGS.exec(line);
  if (settings) {
    findings.settings.push(settings[1] ?? '');
    return 'SETTINGS';
  }
  const node = NODE.exec(line);
  if (node) return readNode(node[1] ?? '', node[2] ?? '', path, findings);
  if (!SECTION.test(line) && !NAMED_SECTION.test(line)) findings.unknown.push(line.trim());
  return line.trim();
}

function readNode(
  kind: string,
  attributes: string,
  path: readonly OpenNode[],
  findings: Findings,
): string {
  if (kind === 'FUNCTION') {
    const name = /(?:^|, )function_name: (.*), function_type: /.exec(attributes)?.[1] ?? '';
    findings.functions.add(name);
    return IN_FUNCTIONS.test(name) ? 'IN' : kind;
  }
  if (kind === 'TABLE_FUNCTION') {
    findings.tableFunctions.add(
      /(?:^|, )table_function_name: (.*)$/.exec(attributes)?.[1]?.split(', ')[0] ?? '',
    );
  }
  const expression = /(?:^|, )cte_name: (.*?)(?:, union_mode: .*)?$/.exec(attributes)?.[1];
  if (expression !== undefined) findings.expressions.add(expression);
  if (kind === 'IDENTIFIER') {
    const name =
      /(?:^|, )identifier: (.*?)(?:, final: \d.*|, sample_size: .*)?$/.exec(attributes)?.[1] ?? '';
    if (TABLE_SECTION.test(path.at(-1)?.label ?? '')) findings.tables.add(name);
    else if (isInOperand(path)) findings.inOperands.add(name);
  }
  return kind;
}

/** IN → ARGUMENTS → LIST → second child. */
function isInOperand(path: readonly OpenNode[]): boolean {
  const [call, section, list] = path.slice(-3);
  return (
    call?.label === 'IN' &&
    section?.label === 'ARGUMENTS' &&
    list?.label === 'LIST' &&
    list.children >= 2
  );
}
