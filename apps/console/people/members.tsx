import type { Member } from '../api/people.js';
import type { Session } from '../api/session.js';
import { useChange } from '../api/use-action.js';
import { Failure } from '../frame/failure.js';
import { MemberRow } from './member-row.js';
import { ScrolledTable } from '../frame/scrolled-table.js';

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
      <ScrolledTable
        label={`Members of ${organization}`}
        heads={['E-mail', 'Name', 'Role', 'Registered, UTC']}
        hasActions
      >
        {members.map((member) => (
          <MemberRow
            key={member.email}
            {...{ organization, session, member, then }}
            isBusy={change.isBusy}
          />
        ))}
      </ScrolledTable>
      <p role="status">{change.done}</p>
      <Failure words={change.failure} />
    </>
  );
}
