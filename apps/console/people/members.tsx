import type { Member } from '../api/people.js';
import type { Session } from '../api/session.js';
import { useChange } from '../api/use-action.js';
import { Failure } from '../frame/failure.js';
import { MemberRow } from './member-row.js';

interface Props {
  readonly organization: string;
  readonly session: Session;
  readonly members: readonly Member[];
  readonly onChanged: () => void;
}

export function Members({ organization, session, members, onChanged }: Props) {
  const { change, then } = useChange(onChanged);
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
            {members.map((member) => (
              <MemberRow
                key={member.email}
                {...{ organization, session, member, then }}
                isBusy={change.isBusy}
              />
            ))}
          </tbody>
        </table>
      </div>
      <p role="status">{change.done}</p>
      <Failure words={change.failure} />
    </>
  );
}
