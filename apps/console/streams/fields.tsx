import type { Field } from '../api/schema.js';

/** Shows names and types as the API tells them. */
export function Fields({ of, fields }: { readonly of: string; readonly fields: readonly Field[] }) {
  return (
    <div class="scrolls" tabIndex={0} role="region" aria-label={`Fields of ${of}`}>
      <table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Type</th>
          </tr>
        </thead>
        <tbody>
          {fields.map(({ name, type }) => (
            <tr key={name}>
              <td>
                <code>{name}</code>
              </td>
              <td>{type}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
