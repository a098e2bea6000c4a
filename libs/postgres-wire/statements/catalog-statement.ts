import { isName, isSymbol, isWord, type PostgresToken } from './postgres-tokens.js';

const SCHEMAS = ['pg_catalog', 'information_schema'];
/** Functions of PostgreSQL about the session, the server or the catalog. */
const FUNCTIONS =
  /^(?:pg_\w+|version|current_schemas?|current_database|current_catalog|current_role|current_setting|set_config|session_user|current_user|has_\w+_privilege|obj_description|col_description|shobj_description|format_type|to_reg\w+|txid_\w+|inet_\w+|quote_ident|row_to_json|json_build_object|jsonb_build_object)$/;
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
  return tokens.some((token, at) => {
    const [before, next] = [tokens[at - 1], tokens[at + 1]];
    if (token.kind === 'symbol') return token.text === '::' && isWord(next, ...[next?.value ?? ''].filter((type) => TYPES.test(type))); // prettier-ignore
    if (!isName(token)) return false;
    if (isSymbol(next, '.')) return SCHEMAS.includes(token.value) && (!isSymbol(before, '.') || isOfDatabase(tokens, at)); // prettier-ignore
    if (isSymbol(before, '.')) return false;
    if (isSymbol(next, '(')) return FUNCTIONS.test(token.value);
    if (token.kind === 'word' && WORDS.test(token.value)) return !isWord(before, 'as');
    const isSource = isWord(before, 'from', 'join') || isSymbol(before, ',');
    return isSource && /^pg_/.test(token.value) && !isTable(token.value);
  });
}

/** Tells whether a database's name stands before the schema there: `FROM shop.information_schema.columns`. */
function isOfDatabase(tokens: readonly PostgresToken[], at: number): boolean {
  const [before, database] = [tokens[at - 3], tokens[at - 2]];
  return isName(database) && (isWord(before, 'from', 'join') || isSymbol(before, ','));
}
