import { changeNames } from '../api/people.js';
import type { Session } from '../api/session.js';
import { useAction } from '../api/use-action.js';
import { Failure } from '../frame/failure.js';
import { formText } from '../form/form-text.js';

interface Props {
  readonly organization: string;
  readonly session: Session;
  readonly onChanged: () => void;
}

/** Others of one's organizations see these names beside the e-mail. */
export function NamesForm({ organization, session, onChanged }: Props) {
  const changing = useAction();
  const change = (event: SubmitEvent): void => {
    event.preventDefault();
    const { currentTarget: form } = event;
    const names = { first_name: formText(form, 'first'), last_name: formText(form, 'last') };
    changing.run(async () => {
      await changeNames(organization, session.email, names);
      onChanged();
      return 'Your names are saved.';
    });
  };
  return (
    <form class="settings" aria-labelledby="change-names" onSubmit={change}>
      <h2 id="change-names">Your names</h2>
      <div class="bar">
        <label>
          First name
          <input name="first" autocomplete="given-name" defaultValue={session.first_name} />
        </label>
        <label>
          Last name
          <input name="last" autocomplete="family-name" defaultValue={session.last_name} />
        </label>
        <button type="submit" class="primary" disabled={changing.isBusy}>
          Save the names
        </button>
        <span role="status">{changing.done}</span>
      </div>
      <Failure words={changing.failure} />
    </form>
  );
}
