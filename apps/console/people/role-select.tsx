import { ROLES } from '../api/people.js';

interface Props {
  readonly label: string;
  readonly role: string;
  readonly disabled?: boolean;
  readonly onChange: (role: string) => void;
}

export function RoleSelect({ label, role, disabled = false, onChange }: Props) {
  return (
    <select
      aria-label={label}
      value={role}
      disabled={disabled}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    >
      {ROLES.map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </select>
  );
}
