import type { ComponentChildren } from 'preact';

interface Props {
  /** Tells people who do not see the table what it has. */
  readonly label: string;
  readonly caption?: string;
  readonly heads: readonly string[];
  /** Tells whether the last column has buttons. Its head is for people who do not see them. */
  readonly hasActions?: boolean;
  /** The rows. */
  readonly children: ComponentChildren;
}

/** A table with a head, which scrolls within itself where the page is narrower. */
export function ScrolledTable({ label, caption, heads, hasActions = false, children }: Props) {
  return (
    <div class="scrolls" tabIndex={0} role="region" aria-label={label}>
      <table>
        {caption !== undefined && <caption>{caption}</caption>}
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
            {hasActions && (
              <th scope="col">
                <span class="unseen">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
