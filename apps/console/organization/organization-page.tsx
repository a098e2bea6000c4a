import { readDisplayName } from '../api/organization.js';
import { useAnswer } from '../api/use-answer.js';
import { Failure } from '../frame/failure.js';
import { DisplayNameForm } from './display-name-form.js';
import { DeleteOrganizationForm } from './delete-organization-form.js';

/** The organization `default` exists for all users and cannot be deleted. */
const DEFAULT = 'default';

interface Props {
  readonly organization: string;
  /** Is called when the session may see another organization. */
  readonly onChanged: () => void;
}

/** An admin changes the organization itself here. */
export function OrganizationPage({ organization, onChanged }: Props) {
  const { answer, failure } = useAnswer(() => readDisplayName(organization), [organization]);
  if (answer === undefined && failure === undefined) return <p aria-busy="true">Loading…</p>;
  return (
    <>
      <h1>Organization</h1>
      <Failure words={failure} />
      {answer !== undefined && <DisplayNameForm organization={organization} name={answer} />}
      {organization !== DEFAULT && (
        <DeleteOrganizationForm organization={organization} onDeleted={onChanged} />
      )}
    </>
  );
}
