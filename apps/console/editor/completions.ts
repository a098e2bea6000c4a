import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { Table } from '../api/schema.js';
import { quotedName, quotedPath } from './error-place.js';
import { FREQUENT_FUNCTIONS } from './frequent-functions.js';

const WORD = /[\p{L}\p{N}_.`-]*/u;

/**
 * Finds the functions that a completion offers.
 * @param all has those that the server knows, in whatever spelling
 */
function offered(all: readonly string[]): readonly Completion[] {
  const frequent = new Set(FREQUENT_FUNCTIONS.map((name) => name.toLowerCase()));
  const others = all.filter((name) => !frequent.has(name.toLowerCase()));
  const completion = (boost: number) => (name: string) => ({
    label: name,
    type: 'function',
    apply: `${name}(`,
    boost,
  });
  return [...FREQUENT_FUNCTIONS.map(completion(-1)), ...others.map(completion(-2))];
}

/**
 * Completes tables, functions, and the fields of the tables that the statement names; where it
 * names none, the fields of all.
 */
export function completionsOf(
  tables: readonly Table[],
  functions: readonly string[],
): (context: CompletionContext) => CompletionResult | null {
  const called = offered(functions);
  return (context) => {
    const word = context.matchBefore(WORD);
    if (!word || (word.from === word.to && !context.explicit)) return null;
    const statement = context.state.doc.toString();
    const named = tables.filter(({ name }) => statement.includes(name));
    const fields = (named.length > 0 ? named : tables).flatMap(({ name: table, fields }) =>
      fields.map(({ name, type }) => ({
        label: name,
        type: 'property',
        detail: `${type}, ${table}`,
        apply: quotedPath(name),
        boost: 2,
      })),
    );
    const unique = [...new Map(fields.map((each) => [each.label, each])).values()];
    const names = tables.map(({ name }) => ({
      label: name,
      type: 'class',
      detail: 'stream',
      apply: quotedName(name),
      boost: 1,
    }));
    return {
      from: word.from,
      options: [...unique, ...names, ...called],
      validFor: /^[\p{L}\p{N}_.`-]*$/u,
    };
  };
}
