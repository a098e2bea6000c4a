import { deleteOrganization } from '../api/organization.js';
import { TypedNameForm } from '../form/typed-name-form.js';

interface Props {
  readonly organization: string;
  readonly onDeleted: () => void;
}

export function DeleteOrganizationForm({ organization, onDeleted }: Props) {
  const remove = async (): Promise<void> => {
    await deleteOrganization(organization);
    // The address still names the organization, which is not there any more.
    location.hash = '';
    onDeleted();
  };
  return (
    <TypedNameForm what="organization" name={organization} remove={remove}>
      Deletes {organization} with its streams, audit trail, tokens, passcode and invitations, for
      good. Its people keep their accounts and their other organizations.
    </TypedNameForm>
  );
}
