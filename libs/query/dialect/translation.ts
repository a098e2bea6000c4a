import type { RequestOrganization } from '@app/platform';
import type { Catalog } from '../catalog.js';
import type { SpelledStatement } from '../guard/spell-out.js';
import { Verdicts } from '../guard/verdicts.js';
import { tokenize } from '../search/tokens.js';
import type { Kind } from './integer-types.js';
import { inEngineWords } from './standard-sql.js';

interface Kept {
  readonly written: string;
  /** Columns that were asked for, with what they were then. */
  readonly asked: ReadonlyMap<string, Kind | undefined>;
  readonly names: ReadonlySet<string>;
}

const SIGNED = /^(?:Nullable\()?Int(?:8|16|32|64)\)?$/;
const UNSIGNED = /^(?:Nullable\()?UInt(?:8|16|32|64)\)?$/;

/** Statements in the engine's words, kept as long as the columns they name are what they were. */
export class Translation {
  private readonly kept = new Verdicts<Kept>();

  constructor(private readonly catalog: Catalog) {}

  /**
   * @param canonical as the engine prints it.
   * @param spellings functions that have one spelling only, by their names in lower case.
   * @throws {MillraceError} INVALID_SQL
   */
  of(
    canonical: string,
    organization: RequestOrganization,
    spellings: ReadonlyMap<string, string>,
  ): string {
    const known = this.kept.get(canonical);
    if (known && this.isSame(known, organization)) return known.written;
    const names = new Set(
      tokenize(canonical).flatMap(({ kind, value }) =>
        kind === 'word' || kind === 'name' ? [value] : [],
      ),
    );
    const asked = new Map<string, Kind | undefined>();
    const columns = this.columns(names, organization);
    const kindOfColumn = (name: string): Kind | undefined => {
      asked.set(name, columns(name));
      return asked.get(name);
    };
    const spelling = (name: string): string | undefined => {
      const known = spellings.get(name.toLowerCase());
      return known === name ? undefined : known;
    };
    const written = inEngineWords(canonical, { kindOfColumn, spelling });
    this.kept.set(canonical, { written, asked, names });
    return written;
  }

  private isSame({ asked, names }: Kept, organization: RequestOrganization): boolean {
    if (asked.size === 0) return true;
    const columns = this.columns(names, organization);
    return [...asked].every(([name, kind]) => columns(name) === kind);
  }

  /** Of all tables that the statement names. */
  private columns(
    names: ReadonlySet<string>,
    organization: RequestOrganization,
  ): (name: string) => Kind | undefined {
    const tables = [...names].flatMap((name) => this.catalog.table(organization, name) ?? []);
    return (name) => {
      const kinds = new Set(
        tables.flatMap(({ columns }) =>
          columns.flatMap((column) => (column.name === name ? [kindOfType(column.type)] : [])),
        ),
      );
      const [kind] = kinds;
      return kinds.size > 1 ? 'unknown' : kind;
    };
  }
}

function kindOfType(type: string): Kind {
  if (SIGNED.test(type)) return 'signed';
  if (UNSIGNED.test(type)) return 'unsigned';
  if (/^(?:Dynamic|Variant|JSON)/.test(type)) return 'unknown';
  return /^(?:Nullable\(|LowCardinality\()*String\)*$/.test(type) ? 'text' : 'other';
}

/** The statement as one text, with its placeholders. */
export const textOf = ({ pieces }: SpelledStatement): string =>
  pieces
    .map((piece) => (typeof piece === 'string' ? piece : `{${piece.name}:${piece.type}}`))
    .join('');
