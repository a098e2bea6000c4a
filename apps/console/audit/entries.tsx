import { useState } from 'preact/hooks';
import type { AuditEntry, AuditFilter } from '../api/audit.js';

interface Props {
  readonly entries: readonly AuditEntry[];
  readonly onFilter: (filter: AuditFilter) => void;
}

/** Shows entries as lines, each of which opens. */
export function Entries({ entries, onFilter }: Props) {
  return (
    <ol class="lines" aria-label="Entries, newest first">
      {entries.map((entry) => (
        <li key={entry.position}>
          <Entry entry={entry} onFilter={onFilter} />
        </li>
      ))}
    </ol>
  );
}

function Entry({
  entry,
  onFilter,
}: {
  readonly entry: AuditEntry;
  readonly onFilter: Props['onFilter'];
}) {
  const [isOpen, setOpen] = useState(false);
  const { type, actor, subject, outcome, occurred_at: at, stream_name: stream } = entry;
  const who = actor === '' ? 'somebody who is erased' : actor;
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <time dateTime={at}>{at.slice(0, 19).replace('T', ' ')}</time>{' '}
        {outcome !== 'done' && <strong class="failed">{outcome} </strong>}
        <span class="text">
          {type}
          {stream === '' ? '' : ` ${stream}`} by {who}
          {subject === '' || subject === actor ? '' : `, to ${subject}`}
        </span>
      </summary>
      {isOpen && (
        <div class="record">
          <div class="bar">
            <button type="button" onClick={() => onFilter({ type })}>
              Only {type}
            </button>
            {actor !== '' && (
              <button type="button" onClick={() => onFilter({ actor })}>
                Only by {actor}
              </button>
            )}
            {stream !== '' && (
              <button type="button" onClick={() => onFilter({ stream })}>
                Only of {stream}
              </button>
            )}
          </div>
          <dl>
            {Object.entries(entry).map(([name, value]) =>
              value === '' ? null : (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>
                    {typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)}
                  </dd>
                </div>
              ),
            )}
          </dl>
        </div>
      )}
    </details>
  );
}
