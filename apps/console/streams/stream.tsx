import { useEffect, useRef, useState } from 'preact/hooks';
import type { Field } from '../api/schema.js';
import type { StreamRecord } from '../api/streams.js';
import { quotedName } from '../editor/error-place.js';
import { linkTo } from '../frame/route.js';
import { countOf, sizeOf } from '../frame/size-text.js';
import { timeText } from '../time/time-text.js';
import { Rejects } from '../upload/rejects.js';
import { DeleteForm } from './delete-form.js';
import { Fields } from './fields.js';
import { SettingsForm } from './settings-form.js';
import { TypeForm } from './type-form.js';

interface Props {
  readonly organization: string;
  readonly stream: StreamRecord;
  readonly fields: readonly Field[];
  readonly isOpen: boolean;
  readonly mayWrite: boolean;
  readonly mayDelete: boolean;
  readonly onChanged: () => void;
  readonly onDeleted: () => void;
}

const TABS = {
  fields: 'Fields',
  rejected: 'What was rejected',
  settings: 'Settings',
  delete: 'Delete',
} as const;
type Tab = keyof typeof TABS;

/** Shows one stream: what it has, and what can be done about it. */
export function Stream(props: Props) {
  const { organization, stream, fields, isOpen, mayWrite, mayDelete } = props;
  const { name, stats } = stream;
  const [tab, setTab] = useState<Tab>('fields');
  const place = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (isOpen) place.current?.scrollIntoView({ block: 'nearest' });
  }, [isOpen]);
  const newest = stats.doc_time_max;
  const sql = `SELECT *\nFROM ${quotedName(name)}\nORDER BY _timestamp DESC\nLIMIT 100`;
  const tabs = (Object.keys(TABS) as Tab[]).filter(
    (each) => (each !== 'settings' || mayWrite) && (each !== 'delete' || mayDelete),
  );
  const content = () => {
    switch (tab) {
      case 'rejected':
        return (
          <Rejects
            organization={organization}
            stream={name}
            mayWrite={mayWrite}
            onMoved={props.onChanged}
          />
        );
      case 'settings':
        return (
          <>
            <SettingsForm {...{ organization, stream, fields, onChanged: props.onChanged }} />
            <TypeForm {...{ organization, stream: name, fields, onChanged: props.onChanged }} />
          </>
        );
      case 'delete':
        return (
          <DeleteForm
            organization={organization}
            stream={name}
            records={stats.doc_num}
            onDeleted={props.onDeleted}
          />
        );
      default:
        return <Fields of={name} fields={fields} />;
    }
  };
  return (
    <details ref={place} class="stream" open={isOpen}>
      <summary>
        <h2>{name}</h2>{' '}
        <span class="hint">
          {countOf(stats.doc_num)}, {sizeOf(stats.storage_size * 1_048_576)}
          {newest ? `, newest ${timeText(newest)} UTC` : ''}
        </span>
      </summary>
      <p class="bar">
        <a href={linkTo({ page: 'ask', organization, sql })}>Ask</a>
        <a href={linkTo({ page: 'search', organization, stream: name })}>Search</a>
        {mayWrite && <a href={linkTo({ page: 'upload', organization, stream: name })}>Upload</a>}
      </p>
      <div class="bar" role="group" aria-label={`Of ${name}`}>
        {tabs.map((each) => (
          <button key={each} type="button" aria-pressed={each === tab} onClick={() => setTab(each)}>
            {TABS[each]}
          </button>
        ))}
      </div>
      {content()}
    </details>
  );
}
