import type { Session } from '../api/session.js';
import { FoundForm } from './found-form.js';
import { NamesForm } from './names-form.js';
import { PasswordForm } from './password-form.js';

interface Props {
  readonly organization: string;
  readonly session: Session;
  readonly onChanged: () => void;
}

/** This page changes somebody's own account. */
export function AccountPage({ organization, session, onChanged }: Props) {
  return (
    <>
      <h1>Account</h1>
      <p>
        {session.email}
        {session.root ? ', the root account of this server' : ''}
      </p>
      <NamesForm {...{ organization, session, onChanged }} />
      <PasswordForm {...{ organization, email: session.email, onChanged }} />
      <FoundForm session={session} onFounded={onChanged} />
    </>
  );
}
