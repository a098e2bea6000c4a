import { changeDisplayName } from '../api/organization.js';
import { useAction } from '../api/use-action.js';
import { Failure } from '../frame/failure.js';
import { formText } from '../form/form-text.js';

interface Props {
  readonly organization: string;
  /** It is the name as it is now. */
  readonly name: string;
}

/** The name in addresses stays. */
export function DisplayNameForm({ organization, name }: Props) {
  const changing = useAction();
  const change = (event: SubmitEvent): void => {
    event.preventDefault();
    const wanted = formText(event.currentTarget, 'name').trim();
    changing.run(async () => {
      await changeDisplayName(organization, wanted);
      return `People are shown ${wanted} now.`;
    });
  };
  return (
    <form class="settings" aria-labelledby="display-name" onSubmit={change}>
      <h2 id="display-name">Name</h2>
      <p class="hint">What people are shown. In addresses it stays {organization}.</p>
      <div class="bar">
        <label>
          Displayed name
          <input name="name" required maxlength={100} autocomplete="off" defaultValue={name} />
        </label>
        <button type="submit" class="primary" disabled={changing.isBusy}>
          Save the name
        </button>
        <span role="status">{changing.done}</span>
      </div>
      <Failure words={changing.failure} />
    </form>
  );
}
