import { changeRole, removeMember, type Member } from '../api/people.js';
import type { Session } from '../api/session.js';
import { useAction } from '../api/use-action.js';
import { ConfirmButton } from '../frame/confirm-button.js';
import { Failure } from '../frame/failure.js';
import { timeText } from '../frame/time-text.js';
import { RoleSelect } from './role-select.js';

interface Props {
  readonly organization: string;
  readonly session: Session;
  readonly members: readonly Member[];
  readonly onChanged: () => void;
}

export function Members({ organization, session, members, onChanged }: Props) {
  const change = useAction();
  const then = (act: () => Promise<void>, done: string): void =>
    change.run(async () => {
      try {
        await act();
        return done;
      } finally {
        // What is shown is what there is, also where it was refused.
        onChanged();
      }
    });
  return (
    <>
      <div class="scrolls" tabIndex={0} role="region" aria-label={`Members of ${organization}`}>
        <table>
          <thead>
            <tr>
              <th scope="col">E-mail</th>
              <th scope="col">Name</th>
              <th scope="col">Role</th>
              <th scope="col">Registered, UTC</th>
              <th scope="col">
                <span class="unseen">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {members.map(({ email, first_name: first, last_name: last, role, created_at: at }) => (
              <tr key={email}>
                <td>{email}</td>
                <td>{`${first} ${last}`.trim()}</td>
                <td>
                  {email === session.email || role === 'root' ? (
                    role
                  ) : (
                    <RoleSelect
                      label={`Role of ${email}`}
                      role={role}
                      disabled={change.isBusy}
                      onChange={(chosen) =>
                        then(
                          () => changeRole(organization, email, chosen),
                          `${email} is ${chosen} now.`,
                        )
                      }
                    />
                  )}
                </td>
                <td>{timeText(at)}</td>
                <td>
                  {email === session.email ? (
                    'you'
                  ) : role === 'root' ? null : (
                    <div class="bar">
                      <ConfirmButton
                        name="Remove"
                        about={email}
                        question={`Remove ${email} from ${organization}? An account without any organization is erased.`}
                        isBusy={change.isBusy}
                        onConfirmed={() =>
                          then(
                            () => removeMember(organization, email, false),
                            `${email} is removed.`,
                          )
                        }
                      />
                      {session.root && (
                        <ConfirmButton
                          name="Erase"
                          about={email}
                          question={`Erase ${email} out of all organizations, for good?`}
                          isBusy={change.isBusy}
                          onConfirmed={() =>
                            then(
                              () => removeMember(organization, email, true),
                              `${email} is erased.`,
                            )
                          }
                        />
                      )}
                    </div>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p role="status">{change.done}</p>
      <Failure words={change.failure} />
    </>
  );
}
