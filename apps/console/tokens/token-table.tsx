import { revokeToken, type Token } from '../api/tokens.js';
import { useChange } from '../api/use-action.js';
import { ConfirmButton } from '../form/confirm-button.js';
import { Failure } from '../frame/failure.js';
import { timeText } from '../time/time-text.js';
import { ScrolledTable } from '../frame/scrolled-table.js';

interface Props {
  readonly organization: string;
  readonly tokens: readonly Token[];
  readonly onChanged: () => void;
}

export function TokenTable({ organization, tokens, onChanged }: Props) {
  const { change, then } = useChange(onChanged);
  return (
    <>
      {tokens.length === 0 ? (
        <p class="hint">
          There is no token yet. Make one for each program that uploads or queries.
        </p>
      ) : (
        <ScrolledTable
          label={`Tokens of ${organization}`}
          heads={['Name', 'Role', 'Streams', 'Good until, UTC', 'Made, UTC']}
          hasActions
        >
          {tokens.map((token) => (
            <tr key={token.name}>
              <td>
                <code>{token.name}</code>
              </td>
              <td>{token.role}</td>
              <td>{token.streams?.join(', ') ?? 'all'}</td>
              <td>{expiryOf(token)}</td>
              <td>
                {timeText(token.created_at)}
                {token.created_by === '' ? '' : ` by ${token.created_by}`}
              </td>
              <td>
                <ConfirmButton
                  name="Revoke"
                  about={token.name}
                  question={`Revoke ${token.name}? Programs that have it are refused at once.`}
                  isBusy={change.isBusy}
                  onConfirmed={() =>
                    then(() => revokeToken(organization, token.name), `${token.name} is revoked.`)
                  }
                />
              </td>
            </tr>
          ))}
        </ScrolledTable>
      )}
      <p role="status">{change.done}</p>
      <Failure words={change.failure} />
    </>
  );
}

function expiryOf({ expires_at: until }: Token): string {
  if (until === null) return 'no end';
  return until / 1000 > Date.now() ? timeText(until) : `${timeText(until)}: it is over`;
}
