import { apiOf, request, requestJson } from './request.js';

interface OrganizationRecord {
  /** Addresses and requests have this name. */
  readonly identifier: string;
  /** People are shown this name. */
  readonly name: string;
}

/** Reads the name that people are shown for an organization. */
export async function readDisplayName(organization: string): Promise<string> {
  const path = `${apiOf(organization)}/organizations`;
  const { data } = await requestJson<{ data: readonly OrganizationRecord[] }>(path);
  return data.find(({ identifier }) => identifier === organization)?.name ?? organization;
}

export async function changeDisplayName(organization: string, name: string): Promise<void> {
  const body = JSON.stringify({ new_name: name });
  await request(`${apiOf(organization)}/rename`, { method: 'PUT', body });
}

/** Deletes an organization for good, with all that it owns. */
export async function deleteOrganization(organization: string): Promise<void> {
  const body = JSON.stringify({ name: organization });
  await request(apiOf(organization), { method: 'DELETE', body });
}
