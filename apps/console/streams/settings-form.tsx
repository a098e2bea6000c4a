import { useState } from 'preact/hooks';
import type { Field } from '../api/schema.js';
import { changeSettings, type StreamRecord } from '../api/streams.js';
import { useAction } from '../api/use-action.js';
import { Failure } from '../frame/failure.js';
import { KeyList } from '../form/key-list.js';

interface Props {
  readonly organization: string;
  readonly stream: StreamRecord;
  readonly fields: readonly Field[];
  readonly onChanged: () => void;
}

/** Sets how long records are kept, and which fields full-text search looks into. */
export function SettingsForm({
  organization,
  stream: { name, settings },
  fields,
  onChanged,
}: Props) {
  const [days, setDays] = useState(String(settings.data_retention));
  const [searched, setSearched] = useState(settings.full_text_search_keys);
  const [indexed, setIndexed] = useState(settings.partition_keys);
  const saving = useAction();
  const save = (event: SubmitEvent): void => {
    event.preventDefault();
    saving.run(async () => {
      await changeSettings(organization, name, {
        data_retention: Number(days),
        full_text_search_keys: searched,
        partition_keys: indexed,
      });
      onChanged();
      return 'Saved.';
    });
  };
  const texts = fields.filter(({ type }) => type === 'Utf8');
  const singles = fields.filter(({ type }) => type !== 'Struct' && !type.startsWith('List'));
  return (
    <form class="settings" aria-label={`Settings of ${name}`} onSubmit={save}>
      <label>
        Days that records are kept
        <input
          type="number"
          min="0"
          max="36500"
          step="1"
          required
          value={days}
          aria-describedby={`${name}-days`}
          onInput={({ currentTarget }) => setDays(currentTarget.value)}
        />
        <span id={`${name}-days`} class="hint">
          0 keeps all. With fewer days than before older records are deleted, which needs an admin.
        </span>
      </label>
      <KeyList
        legend="Searched for words"
        hint="Texts that a search looks into. Without any: message, log and other usual names."
        kind="Field"
        id={`${name}-texts`}
        offered={texts.map((field) => field.name)}
        keys={searched}
        onChange={setSearched}
      />
      <KeyList
        legend="Indexed"
        hint="Fields that are often asked for single values: such questions read less."
        kind="Field"
        id={`${name}-singles`}
        offered={singles.map((field) => field.name)}
        keys={indexed}
        onChange={setIndexed}
      />
      <div class="bar">
        <button type="submit" class="primary" disabled={saving.isBusy}>
          Save settings
        </button>
        <span role="status">{saving.done}</span>
      </div>
      <Failure words={saving.failure} />
    </form>
  );
}
