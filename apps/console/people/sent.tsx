import { withdrawInvitation, type SentInvitation } from '../api/people.js';
import { useAction } from '../api/use-action.js';
import { Failure } from '../frame/failure.js';
import { timeText } from '../time/time-text.js';
import { ScrolledTable } from '../frame/scrolled-table.js';

interface Props {
  readonly organization: string;
  readonly invitations: readonly SentInvitation[];
  readonly onChanged: () => void;
}

/** Shows the people who are invited and have not accepted. */
export function Sent({ organization, invitations, onChanged }: Props) {
  const withdrawing = useAction();
  const withdraw = (email: string): void =>
    withdrawing.run(async () => {
      await withdrawInvitation(organization, email);
      onChanged();
      return `The invitation of ${email} is withdrawn.`;
    });
  return (
    <section aria-labelledby="invited">
      <h2 id="invited">Invited</h2>
      {invitations.length === 0 ? (
        <p class="hint">Nobody is invited just now.</p>
      ) : (
        <ScrolledTable
          label="Pending invitations"
          heads={['E-mail', 'Role', 'Until, UTC']}
          hasActions
        >
          {invitations.map(({ email, role, expires_at: until }) => (
            <tr key={email}>
              <td>{email}</td>
              <td>{role}</td>
              <td>{timeText(until)}</td>
              <td>
                <button
                  type="button"
                  aria-label={`Withdraw ${email}`}
                  disabled={withdrawing.isBusy}
                  onClick={() => withdraw(email)}
                >
                  Withdraw
                </button>
              </td>
            </tr>
          ))}
        </ScrolledTable>
      )}
      <p role="status">{withdrawing.done}</p>
      <Failure words={withdrawing.failure} />
    </section>
  );
}
