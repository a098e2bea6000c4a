import { useState } from 'preact/hooks';
import { answerInvitation, readReceived } from '../api/people.js';
import { useAction } from '../api/use-action.js';
import { useAnswer } from '../api/use-answer.js';
import { Failure } from '../frame/failure.js';
import { linkTo } from '../frame/route.js';
import { timeText } from '../frame/time-text.js';

/** Invitations of the one who is signed in, wherever they are. */
export function Received({ onAccepted }: { readonly onAccepted: () => void }) {
  // Who cannot ask for them has none to answer: the page below says what is wrong.
  const { answer = [], askAgain } = useAnswer(readReceived, []);
  const [joined, setJoined] = useState<string>();
  const answering = useAction();
  const reply = (organization: string, how: 'accept' | 'decline'): void =>
    answering.run(async () => {
      await answerInvitation(organization, how);
      askAgain();
      if (how === 'decline') return `You have declined to join ${organization}.`;
      setJoined(organization);
      onAccepted();
      return `You belong to ${organization} now.`;
    });
  if (answer.length === 0 && answering.done === undefined && answering.failure === undefined)
    return null;
  return (
    <section class="empty" aria-label="Invitations for you">
      {answer.map(({ organization, role, expires_at: until }) => (
        <p key={organization} class="bar">
          <span>
            <strong>{organization}</strong> invites you as {role}, until {timeText(until)} UTC.
          </span>
          <button
            type="button"
            class="primary"
            disabled={answering.isBusy}
            aria-label={`Accept the invitation of ${organization}`}
            onClick={() => reply(organization, 'accept')}
          >
            Accept
          </button>
          <button
            type="button"
            disabled={answering.isBusy}
            aria-label={`Decline the invitation of ${organization}`}
            onClick={() => reply(organization, 'decline')}
          >
            Decline
          </button>
        </p>
      ))}
      <p role="status">
        {answering.done}{' '}
        {joined !== undefined && (
          <a href={linkTo({ page: 'streams', organization: joined })}>Look at {joined}</a>
        )}
      </p>
      <Failure words={answering.failure} />
    </section>
  );
}
