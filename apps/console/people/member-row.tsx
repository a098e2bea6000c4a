import { changeRole, proveEmail, removeMember, type Member } from '../api/people.js';
import type { Session } from '../api/session.js';
import { ConfirmButton } from '../form/confirm-button.js';
import { timeText } from '../time/time-text.js';
import { RoleSelect } from './role-select.js';

interface Props {
  readonly organization: string;
  readonly session: Session;
  readonly member: Member;
  readonly isBusy: boolean;
  /** Does something and tells what has been done. */
  readonly then: (act: () => Promise<void>, done: string) => void;
}

/** Shows a member, and what may be done about them. */
export function MemberRow({ organization, session, member, isBusy, then }: Props) {
  const { email, role } = member;
  const isOwn = email === session.email;
  const isUnproven = member.email_proven === false;
  return (
    <tr>
      <td>
        {email}
        {isUnproven && <small> (nobody has shown that it is theirs)</small>}
      </td>
      <td>{`${member.first_name} ${member.last_name}`.trim()}</td>
      <td>
        {isOwn || role === 'root' ? (
          role
        ) : (
          <RoleSelect
            label={`Role of ${email}`}
            role={role}
            disabled={isBusy}
            onChange={(chosen) =>
              then(() => changeRole(organization, email, chosen), `${email} is ${chosen} now.`)
            }
          />
        )}
      </td>
      <td>{timeText(member.created_at)}</td>
      <td>
        {isOwn ? (
          'you'
        ) : role === 'root' ? null : (
          <div class="bar">
            {isUnproven && session.root && (
              <ConfirmButton
                name="Prove"
                about={email}
                question={`Has whoever holds the account asked you from ${email}? What is meant for that address is theirs then.`}
                isBusy={isBusy}
                onConfirmed={() =>
                  then(() => proveEmail(organization, email), `${email} is marked as proven.`)
                }
              />
            )}
            <ConfirmButton
              name="Remove"
              about={email}
              question={`Remove ${email} from ${organization}? An account without any organization is erased.`}
              isBusy={isBusy}
              onConfirmed={() =>
                then(() => removeMember(organization, email, false), `${email} is removed.`)
              }
            />
            {session.root && (
              <ConfirmButton
                name="Erase"
                about={email}
                question={`Erase ${email} out of all organizations, for good?`}
                isBusy={isBusy}
                onConfirmed={() =>
                  then(() => removeMember(organization, email, true), `${email} is erased.`)
                }
              />
            )}
          </div>
        )}
      </td>
    </tr>
  );
}
