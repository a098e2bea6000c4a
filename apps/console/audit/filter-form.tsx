import { OUTCOMES, type AuditFilter } from '../api/audit.js';
import { AS_TYPED } from '../form/as-typed.js';
import { formText } from '../form/form-text.js';

interface Props {
  readonly filter: AuditFilter;
  /** These types have been seen. */
  readonly types: readonly string[];
  readonly onFilter: (filter: AuditFilter) => void;
}

export function FilterForm({ filter, types, onFilter }: Props) {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const { currentTarget: form } = event;
    const text = (name: string): string | undefined => formText(form, name).trim() || undefined;
    onFilter({
      type: text('type'),
      actor: text('actor'),
      stream: text('stream'),
      outcome: text('outcome'),
      since: text('since'),
      until: text('until'),
      hash: text('hash'),
    });
  };
  return (
    // Another filter makes the form anew, so its fields show what the address says.
    <form key={JSON.stringify(filter)} class="settings" aria-label="Filter" onSubmit={submit}>
      <div class="bar">
        <label>
          What
          <input {...AS_TYPED} name="type" list="audit-types" defaultValue={filter.type ?? ''} />
        </label>
        <datalist id="audit-types">
          {types.map((type) => (
            <option key={type} value={type} />
          ))}
        </datalist>
        <label>
          Who
          <input
            {...AS_TYPED}
            name="actor"
            defaultValue={filter.actor ?? ''}
            placeholder="e-mail or id"
          />
        </label>
        <label>
          Stream
          <input {...AS_TYPED} name="stream" defaultValue={filter.stream ?? ''} />
        </label>
        <label>
          Outcome
          <select name="outcome" defaultValue={filter.outcome ?? ''}>
            <option value="">any</option>
            {OUTCOMES.map((outcome) => (
              <option key={outcome} value={outcome} selected={outcome === filter.outcome}>
                {outcome}
              </option>
            ))}
          </select>
        </label>
        <label>
          From (UTC)
          <input name="since" type="date" defaultValue={filter.since ?? ''} />
        </label>
        <label>
          Until, included
          <input name="until" type="date" defaultValue={filter.until ?? ''} />
        </label>
        <label>
          Hash
          <input
            {...AS_TYPED}
            name="hash"
            defaultValue={filter.hash ?? ''}
            placeholder="such as a noted head"
          />
        </label>
        <button type="submit" class="primary">
          Filter
        </button>
        <button type="button" onClick={() => onFilter({})}>
          Show all
        </button>
      </div>
    </form>
  );
}
