import type { Admin } from 'kafkajs';
import { kafkaClient, type ClientOptions } from './client/kafka-client.js';
import { writersOf } from './topics.js';

interface MembersOptions extends ClientOptions {
  readonly namespace: string;
}

/** A group of consumers with a member now. */
interface RunningMember {
  readonly group: string;
  /** The address of the process, as the broker sees it. */
  readonly host: string;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** The brokers describe so many groups at once. */
const AT_ONCE = 100;

/**
 * Finds the processes of an installation that run, by the groups that they are members of: writers
 * are in one, and each process that takes uploads or writes them has one of its own, since 0.2.0. A
 * process that stops leaves them; one that was killed is a member for up to half a minute.
 * @throws when no broker answers
 */
export async function runningMembers({
  namespace,
  ...client
}: MembersOptions): Promise<readonly RunningMember[]> {
  const admin = kafkaClient(client).admin();
  try {
    await admin.connect();
    const { groups } = await admin.listGroups();
    const ours = groups.map(({ groupId }) => groupId).filter((each) => isOurs(each, namespace));
    const found: RunningMember[] = [];
    for (let at = 0; at < ours.length; at += AT_ONCE)
      found.push(...(await membersOf(admin, ours.slice(at, at + AT_ONCE))));
    return found;
  } finally {
    await admin.disconnect();
  }
}

/** The name of another namespace may begin with that of this one. */
function isOurs(group: string, namespace: string): boolean {
  const own = `${namespace}.names.`;
  if (group.startsWith(own)) return UUID.test(group.slice(own.length));
  return group === writersOf(namespace) || group === `${namespace}.uploads`;
}

async function membersOf(admin: Admin, names: string[]): Promise<readonly RunningMember[]> {
  const { groups } = await admin.describeGroups(names);
  return groups.flatMap(({ groupId, members }) =>
    members.map(({ clientHost }) => ({ group: groupId, host: clientHost.replace(/^\//, '') })),
  );
}
