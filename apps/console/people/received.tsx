import { useState } from 'preact/hooks';
import { answerInvitation, type ReceivedInvitation } from '../api/people.js';
import { useAction } from '../api/use-action.js';
import { Failure } from '../frame/failure.js';
import { linkTo } from '../frame/route.js';
import { timeText } from '../time/time-text.js';

interface Props {
  readonly invitations: readonly ReceivedInvitation[];
  /** Is called when an invitation is answered. */
  readonly onAnswered: () => void;
  readonly onAccepted: () => void;
}

/** Shows the invitations of the one who is signed in, wherever they are. */
export function Received({ invitations, onAnswered, onAccepted }: Props) {
  const [joined, setJoined] = useState<string>();
  const answering = useAction();
  const reply = (organization: string, how: 'accept' | 'decline'): void =>
    answering.run(async () => {
      await answerInvitation(organization, how);
      onAnswered();
      if (how === 'decline') return `You have declined to join ${organization}.`;
      setJoined(organization);
      onAccepted();
      return `You belong to ${organization} now.`;
    });
  if (invitations.length === 0 && answering.done === undefined && answering.failure === undefined)
    return null;
  return (
    <section class="empty" aria-label="Invitations for you">
      {invitations.map(({ organization, role, expires_at: until }) => (
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
