import type { Table } from '../api/schema.js';
import { quotedName } from '../editor/error-place.js';
import { linkTo } from '../frame/route.js';
import { FirstUpload } from '../upload/first-upload.js';
import { Fields } from './fields.js';

/** The edge program has tables, and no streams that one uploads to. */
export function TablesPage({ tables }: { readonly tables: readonly Table[] }) {
  return (
    <>
      <h1>Tables</h1>
      {tables.length === 0 && <FirstUpload organization="" mayWrite={false} />}
      {tables.map(({ name, fields }) => (
        <details key={name} class="stream">
          <summary>
            <h2>{name}</h2> <span class="hint">{fields.length} fields</span>
          </summary>
          <p class="bar">
            <a href={linkTo({ page: 'ask', sql: `SELECT *\nFROM ${quotedName(name)}\nLIMIT 100` })}>
              Ask
            </a>
          </p>
          <Fields of={name} fields={fields} />
        </details>
      ))}
    </>
  );
}
