import { useState } from 'preact/hooks';
import { readAudit, type AuditEntry, type AuditFilter } from '../api/audit.js';
import { useAction } from '../api/use-action.js';
import { useAnswer } from '../api/use-answer.js';
import { Failure } from '../frame/failure.js';
import { linkTo, type Route } from '../frame/route.js';
import { Entries } from './entries.js';
import { FilterForm } from './filter-form.js';
import { Verified } from './verified.js';

interface Props {
  readonly organization: string;
  readonly route: Route;
}

/** Shows who did what in an organization, and whether that is what happened. */
export function AuditPage({ organization, route }: Props) {
  const { type, actor, stream, outcome, since, until, hash } = route;
  const filter: AuditFilter = { type, actor, stream, outcome, since, until, hash };
  const of = JSON.stringify(filter);
  const first = useAnswer(() => readAudit(organization, filter, 0), [organization, of]);
  const [older, setOlder] = useState<{ of: string; hits: readonly AuditEntry[] }>();
  const more = useAction();

  // Entries that have come meanwhile push others onto the next page, too.
  const known = new Map((first.answer?.hits ?? []).map((entry) => [entry.position, entry]));
  if (older?.of === of) for (const entry of older.hits) known.set(entry.position, entry);
  const entries = [...known.values()];
  const total = first.answer?.total ?? 0;

  const go = (wanted: AuditFilter): void => {
    const link = linkTo({ page: 'audit', organization, ...wanted });
    if (location.hash === link) first.askAgain();
    else location.hash = link;
  };
  const readMore = (): void =>
    more.run(async () => {
      const { hits } = await readAudit(organization, filter, entries.length);
      setOlder({ of, hits: [...(older?.of === of ? older.hits : []), ...hits] });
      return undefined;
    });

  return (
    <>
      <h1>Audit</h1>
      <Verified organization={organization} />
      <FilterForm
        filter={filter}
        types={[...new Set(entries.map((entry) => entry.type))].sort()}
        onFilter={go}
      />
      <Failure words={first.failure} />
      <p role="status" class="status">
        {first.answer
          ? `${total.toLocaleString()} ${total === 1 ? 'entry' : 'entries'}${entries.length < total ? `, the newest ${entries.length.toLocaleString()} shown` : ''}`
          : first.failure === undefined && 'Loading…'}
      </p>
      <Entries entries={entries} onFilter={go} />
      {entries.length < total && (
        <button type="button" disabled={more.isBusy} onClick={readMore}>
          Older entries
        </button>
      )}
      <Failure words={more.failure} />
    </>
  );
}
