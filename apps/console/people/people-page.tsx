import { readMembers, readSent } from '../api/people.js';
import type { Session } from '../api/session.js';
import { useAnswer } from '../api/use-answer.js';
import { Failure } from '../frame/failure.js';
import { AddForm } from './add-form.js';
import { Members } from './members.js';
import { Sent } from './sent.js';

interface Props {
  readonly organization: string;
  readonly session: Session;
}

/** Shows the members of an organization, and the people who are invited. */
export function PeoplePage({ organization, session }: Props) {
  const { answer, failure, askAgain } = useAnswer(
    () => Promise.all([readMembers(organization), readSent(organization)]),
    [organization],
  );
  if (!answer && failure === undefined) return <p aria-busy="true">Loading…</p>;
  const [members, sent] = answer ?? [[], []];
  return (
    <>
      <h1>People</h1>
      <Failure words={failure} />
      {answer && (
        <>
          <Members {...{ organization, session, members, onChanged: askAgain }} />
          <AddForm organization={organization} onChanged={askAgain} />
          <Sent organization={organization} invitations={sent} onChanged={askAgain} />
        </>
      )}
    </>
  );
}
