import type { RequestOrganization } from '@app/platform';
import { quoteText, withoutNull } from '@app/warehouse';
import { namedColumns, type Catalog, type TableDescription } from '../catalog.js';
import type { SpelledStatement } from '../guard/spell-out.js';
import { Verdicts } from '../guard/verdicts.js';
import { tokenize } from '../search/statement-tokens.js';
import { inEngineWords, withinDepth } from './standard-sql.js';
import { withOuterRows } from './subqueries/outer-rows.js';

interface Kept {
  readonly written: string;
  /** The columns that were looked up, with the types that they had then. */
  readonly asked: ReadonlyMap<string, string | undefined>;
  readonly names: ReadonlySet<string>;
  /** The known fields within objects, for each table that the statement may name. */
  readonly within: readonly unknown[];
  /** The organization whose name a function returns; undefined: none. */
  readonly told: string | undefined;
}

/** The usual schemas; see `known-names.ts`. */
const SCHEMA = 'public';

/**
 * A cache of translated statements. An entry is valid as long as the columns that it names do not
 * change.
 */
export class Translation {
  private readonly kept = new Verdicts<Kept>();

  constructor(private readonly catalog: Catalog) {}

  /**
   * @param canonical as the engine prints it.
   * @param spellings functions with only one spelling, by their names in lower case.
   * @throws {MillraceError} INVALID_SQL
   */
  of(
    canonical: string,
    organization: RequestOrganization,
    spellings: ReadonlyMap<string, string>,
  ): string {
    const known = this.kept.get(canonical);
    if (known && this.isSame(canonical, known, organization)) return known.written;
    const names = new Set(
      tokenize(canonical).flatMap(({ kind, value }) =>
        kind === 'word' || kind === 'name' ? [value] : [],
      ),
    );
    const asked = new Map<string, string | undefined>();
    const columns = this.columns(names, organization);
    const typeOfColumn = (name: string): string | undefined => {
      asked.set(name, columns(name));
      return asked.get(name);
    };
    const spelling = (name: string): string | undefined => {
      const known = spellings.get(name.toLowerCase());
      return known === name ? undefined : known;
    };
    const table = (name: string): TableDescription | undefined =>
      this.catalog.table(organization, name);
    let told: string | undefined;
    const session = (name: string): string | undefined => {
      if (name === 'current_schema') return quoteText(SCHEMA);
      if (name !== 'current_database' && name !== 'current_catalog') return undefined;
      told = organization.name;
      return quoteText(told);
    };
    const whole = withinDepth(() => withOuterRows(canonical, { typeOfColumn, table }));
    const written = inEngineWords(whole, { typeOfColumn, spelling, table, session });
    const within = this.within(canonical, names, organization);
    // Its columns may change their tables without changing their types.
    if (whole === canonical) this.kept.set(canonical, { written, asked, names, within, told });
    return written;
  }

  /** A statement without a dot or a bracket names no field. */
  private within(
    canonical: string,
    names: ReadonlySet<string>,
    organization: RequestOrganization,
  ): readonly unknown[] {
    if (!/[.[]|`|json_/i.test(canonical)) return [];
    return [...names].map((name) => this.catalog.table(organization, name)?.within);
  }

  private isSame(
    canonical: string,
    { asked, names, within, told }: Kept,
    organization: RequestOrganization,
  ): boolean {
    if (told !== undefined && told !== organization.name) return false;
    const now = this.within(canonical, names, organization);
    if (now.length !== within.length || now.some((each, at) => each !== within[at])) return false;
    if (asked.size === 0) return true;
    const columns = this.columns(names, organization);
    return [...asked].every(([name, type]) => columns(name) === type);
  }

  /** The types of columns in all tables that the statement names. */
  private columns(
    names: ReadonlySet<string>,
    organization: RequestOrganization,
  ): (name: string) => string | undefined {
    const tables = [...names].flatMap((name) => this.catalog.table(organization, name) ?? []);
    return (name) => {
      const types = new Set(
        tables.flatMap((table) =>
          namedColumns(table).flatMap((column) => (column.name === name ? [column.type] : [])),
        ),
      );
      const [first, ...more] = types;
      return first === undefined ? undefined : commonType([first, ...more]);
    };
  }
}

/** The type of columns with the same name in several tables. */
function commonType(given: readonly [string, ...string[]]): string {
  const types = given.map(withoutNull);
  if (types.every((type) => type === types[0])) return given[0];
  if (types.every((type) => /^UInt(?:8|16|32|64)$/.test(type))) return 'Nullable(UInt64)';
  if (types.every((type) => /^(?:Int(?:8|16|32|64)|UInt(?:8|16|32))$/.test(type))) return 'Nullable(Int64)'; // prettier-ignore
  return types.every((type) => EXACT.test(type)) ? `Variant(${types.join(', ')})` : 'Dynamic';
}

const EXACT = /^(?:U?Int(?:8|16|32|64)|Decimal\(\d+, \d+\))$/;

/** The statement as one text, with its placeholders. */
export const textOf = ({ pieces }: SpelledStatement): string =>
  pieces
    .map((piece) => (typeof piece === 'string' ? piece : `{${piece.name}:${piece.type}}`))
    .join('');
