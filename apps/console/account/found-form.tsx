import { useState } from 'preact/hooks';
import { addMember } from '../api/people.js';
import { NotSent } from '../api/request.js';
import type { Session } from '../api/session.js';
import { useAction } from '../api/use-action.js';
import { AS_TYPED } from '../form/as-typed.js';
import { Failure } from '../frame/failure.js';
import { formText } from '../form/form-text.js';
import { linkTo } from '../frame/route.js';

interface Props {
  readonly session: Session;
  /** The form calls this when an organization has been created. */
  readonly onFounded: () => void;
}

/**
 * Creates an organization. Its first admin is the user who creates it, or the user that root names.
 */
export function FoundForm({ session, onFounded }: Props) {
  const [founded, setFounded] = useState<string>();
  const founding = useAction();
  const found = (event: SubmitEvent): void => {
    event.preventDefault();
    const { currentTarget: form } = event;
    const name = formText(form, 'name').trim();
    const admin = session.root ? formText(form, 'admin').trim() : session.email;
    setFounded(undefined);
    founding.run(async () => {
      if (session.organizations.some((each) => each.name === name))
        throw new NotSent(`There is an organization ${name} already.`);
      await addMember(name, admin, 'admin');
      if (form instanceof HTMLFormElement) form.reset();
      setFounded(name);
      onFounded();
      return `${name} is there, with ${admin} as its admin.`;
    });
  };
  return (
    <form class="settings" aria-labelledby="found" onSubmit={found}>
      <h2 id="found">Create an organization</h2>
      <div class="bar">
        <label>
          Name, as it stands in addresses
          <input {...AS_TYPED} name="name" required autocomplete="off" placeholder="acme" />
        </label>
        {session.root && (
          <label>
            E-mail of its first admin
            <input name="admin" type="email" required autocomplete="off" />
          </label>
        )}
        <button type="submit" class="primary" disabled={founding.isBusy}>
          Create it
        </button>
      </div>
      <p role="status">
        {founding.done}{' '}
        {founded !== undefined && (
          <a href={linkTo({ page: 'streams', organization: founded })}>Look at {founded}</a>
        )}
      </p>
      <Failure words={founding.failure} />
    </form>
  );
}
