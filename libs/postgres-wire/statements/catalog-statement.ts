import { isName, isSymbol, isWord, type PostgresToken } from './postgres-tokens.js';

const SCHEMAS = ['pg_catalog', 'information_schema'];
/** Functions of PostgreSQL about the session, the server or the catalog. */
const FUNCTIONS =
  /^(?:pg_\w+|version|current_schemas?|current_database|current_catalog|current_role|current_setting|set_config|session_user|current_user|has_\w+_privilege|obj_description|col_description|shobj_description|format_type|to_reg\w+|txid_\w+|inet_\w+|quote_ident)$/;
/** Functions of PostgreSQL that make a value of others; of tables they would have to read rows. */
const OF_VALUES = /^(?:row_to_json|json_build_object|jsonb_build_object)$/;
/** The functions among them that are written without brackets. */
const WORDS = /^(?:current_schema|current_catalog|current_role|session_user|current_user)$/;
const TYPES = /^(?:reg\w+|oid|name|oidvector|int2vector)$/;
const READS = ['select', 'with', 'values', 'table'];

/**
 * Tells whether a statement asks PostgreSQL's catalog, or for something that only PostgreSQL knows.
 * @param isTable whether there is a table of the name
 */
export function asksCatalog(
  tokens: readonly PostgresToken[],
  isTable: (name: string) => boolean,
): boolean {
  const first = tokens.find((token) => !isSymbol(token, '('));
  if (!isWord(first, ...READS)) return false;
  const isSource = (at: number): boolean => isWord(tokens[at - 1], 'from', 'join') || isSymbol(tokens[at - 1], ',') || (isSymbol(tokens[at - 1], '.') && isWord(tokens[at - 2], 'public')); // prettier-ignore
  const readsTable = tokens.some((token, at) => isName(token) && isSource(at) && isTable(token.value)); // prettier-ignore
  return tokens.some((token, at) => {
    const [before, next] = [tokens[at - 1], tokens[at + 1]];
    if (token.kind === 'symbol') return token.text === '::' && isWord(next, ...[next?.value ?? ''].filter((type) => TYPES.test(type))); // prettier-ignore
    if (!isName(token)) return false;
    if (isSymbol(next, '.')) return SCHEMAS.includes(token.value) && (!isSymbol(before, '.') || isOfDatabase(tokens, at)); // prettier-ignore
    if (isSymbol(before, '.')) return false;
    if (isSymbol(next, '(')) return FUNCTIONS.test(token.value) || (OF_VALUES.test(token.value) && !readsTable); // prettier-ignore
    if (token.kind === 'word' && WORDS.test(token.value)) return !isWord(before, 'as');
    return isSource(at) && /^pg_/.test(token.value) && !isTable(token.value);
  });
}

/** Tells whether a database's name stands before the schema there: `FROM shop.information_schema.columns`. */
function isOfDatabase(tokens: readonly PostgresToken[], at: number): boolean {
  const [before, database] = [tokens[at - 3], tokens[at - 2]];
  return isName(database) && (isWord(before, 'from', 'join') || isSymbol(before, ','));
}
