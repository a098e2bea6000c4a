import type { Field } from '../api/schema.js';
import { ScrolledTable } from '../frame/scrolled-table.js';

/** Shows names and types as the API tells them. */
export function Fields({ of, fields }: { readonly of: string; readonly fields: readonly Field[] }) {
  return (
    <ScrolledTable label={`Fields of ${of}`} heads={['Field', 'Type']}>
      {fields.map(({ name, type }) => (
        <tr key={name}>
          <td>
            <code>{name}</code>
          </td>
          <td>{type}</td>
        </tr>
      ))}
    </ScrolledTable>
  );
}
