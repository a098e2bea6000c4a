import { apiOf, request, requestJson } from './request.js';

interface OrganizationRecord {
  /** By which it is asked for. */
  readonly identifier: string;
  /** What people are shown. */
  readonly name: string;
}

/** What people are shown as the name of an organization. */
export async function readDisplayName(organization: string): Promise<string> {
  const path = `${apiOf(organization)}/organizations`;
  const { data } = await requestJson<{ data: readonly OrganizationRecord[] }>(path);
  return data.find(({ identifier }) => identifier === organization)?.name ?? organization;
}

export async function changeDisplayName(organization: string, name: string): Promise<void> {
  const body = JSON.stringify({ new_name: name });
  await request(`${apiOf(organization)}/rename`, { method: 'PUT', body });
}

/** For good, with all that it owns. */
export async function deleteOrganization(organization: string): Promise<void> {
  const body = JSON.stringify({ name: organization });
  await request(apiOf(organization), { method: 'DELETE', body });
}
