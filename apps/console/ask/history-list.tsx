interface Props {
  /** The newest comes first. */
  readonly statements: readonly string[];
  readonly onUse: (statement: string) => void;
}

/**
 * Lists earlier statements. The list is shown even while it is empty, so that nothing moves when it
 * gets its first entry.
 */
export function HistoryList({ statements, onUse }: Props) {
  return (
    <details class="history">
      <summary>Asked before ({statements.length})</summary>
      <ol>
        {statements.map((text) => (
          <li key={text}>
            <button type="button" class="quiet" onClick={() => onUse(text)}>
              {text}
            </button>
          </li>
        ))}
      </ol>
    </details>
  );
}
