import type { RecordedEvent } from '@app/event-store';
import type { AuditRow } from '@app/warehouse';
import type { AuditDirectory } from './audit-directory.js';
import { OF_LOST_TIME, RECONCILER, type LostEntry } from './reconciliation-events.js';

/** An entry without its place in a chain. */
export type AuditEntry = Omit<AuditRow, 'previousHash' | 'hash'>;

/**
 * Events that reserve or release a name, or say whose key it is, are internal and not something
 * that a person did. An event whose time and place are unreadable makes no entry.
 */
const TECHNICAL =
  /(?:Reserved|Released)$|^InstallationKeyNoted$|^AccountsLeftOut$|^EventsSealed$|^NotUnderstood$/;
/** These fields are sealed, fingerprints, or physical names, so no reader needs them. */
const HIDDEN = new Set([
  'profile',
  'credential',
  'passcode',
  'emailHash',
  'invitee',
  'fingerprint',
  'database',
  'check',
  'former',
  'signed',
  'tenant',
]);
/** Actors that are no accounts. */
const NOBODYS = new Set(['system', 'anonymous', RECONCILER, '']);
const OUTCOMES: Readonly<Record<string, AuditRow['outcome']>> = {
  CommandRefused: 'refused',
  LoginFailed: 'failed',
  LoginsFailed: 'failed',
};

/** The event as it was stored, because the trail also has what read models leave out. */
export function audited(event: RecordedEvent): RecordedEvent | undefined {
  let stored = event;
  while (stored.original) stored = stored.original;
  return stored.notOurs === undefined && TECHNICAL.test(stored.type) ? undefined : stored;
}

const ORGANIZATION = 'organization-';

/**
 * Finds the organization in whose trail an event is. An event that is not ours goes by the stream
 * in which it was found, whatever it says of itself.
 * @param ofStream the organization of a stream, by the name of its event stream, as far as the events before tell
 */
export function organizationOfEntry(
  { notOurs, stream, metadata }: RecordedEvent,
  ofStream: (eventStream: string) => string | undefined,
): string | undefined {
  if (notOurs === undefined) return metadata.organizationId;
  return stream.startsWith(ORGANIZATION) ? stream.slice(ORGANIZATION.length) : ofStream(stream);
}

/** The event as people may read it: actor, action, time and address, and no secret. */
export function toEntry(event: RecordedEvent, directory: AuditDirectory): AuditEntry {
  const { actor, client, requestId = '', occurredAt } = event.metadata;
  if (event.notOurs !== undefined) return notOursEntry(event, event.notOurs);
  if (event.type === OF_LOST_TIME) return lostEntry(event, event.data as LostEntry, directory);
  const data = event.data as Readonly<Record<string, unknown>>;
  const subjectId = subjectOf(event.stream, data);
  const from =
    client === undefined ? undefined : directory.client(clientOwner(actor, subjectId), client);
  return {
    position: String(event.position),
    occurredAt,
    type: event.type,
    outcome: OUTCOMES[event.type] ?? 'done',
    ...named(actor, directory),
    subject: directory.email(subjectId) ?? '',
    subjectId,
    address: from?.address ?? '',
    userAgent: from?.userAgent ?? '',
    requestId,
    stream: event.stream,
    data: JSON.stringify(visible(data)),
  };
}

/** Shows only the event's type and the time that it claims, and nothing else of its content. */
function notOursEntry(event: RecordedEvent, reason: string): AuditEntry {
  const { position, type, stream, metadata } = event;
  return {
    position: String(position),
    occurredAt: metadata.occurredAt,
    type,
    outcome: 'not ours',
    actor: '',
    actorId: '',
    subject: '',
    subjectId: '',
    address: '',
    userAgent: '',
    requestId: '',
    stream,
    data: JSON.stringify({ reason }),
  };
}

/**
 * The account for which the entry shows the origin of a request. A failed login belongs to the
 * account that was tried.
 */
export const clientOwner = (actor: string, subjectId: string): string =>
  actor === 'anonymous' && subjectId !== '' ? subjectId : actor;

/** The entry as it stood in the trail before its event was lost, at its new place. */
function lostEntry(event: RecordedEvent, lost: LostEntry, directory: AuditDirectory): AuditEntry {
  const { actor, subjectId, client, position, outcome, previousHash, hash } = lost;
  const from =
    client === undefined ? undefined : directory.client(clientOwner(actor, subjectId), client);
  return {
    position: String(event.position),
    occurredAt: lost.occurredAt,
    type: lost.type,
    outcome: 'lost',
    ...named(actor, directory),
    subject: directory.email(subjectId) ?? '',
    subjectId,
    address: from?.address ?? '',
    userAgent: from?.userAgent ?? '',
    requestId: lost.requestId,
    stream: lost.stream,
    data: JSON.stringify({ lost: { position, outcome, previousHash, hash }, data: lost.data }),
  };
}

/** The actor of an entry, in the form that metadata of events have. */
export function actorOf({ actor, actorId }: Pick<AuditRow, 'actor' | 'actorId'>): string {
  if (actorId === '') return actor;
  return actor.startsWith('token ') ? `${actor} ${actorId}` : actorId;
}

/** A token appears with its name and id, because it belongs to no account. */
const TOKEN = /^(token \S+) (\S+)$/;

function named(actor: string, directory: AuditDirectory): Pick<AuditEntry, 'actor' | 'actorId'> {
  if (NOBODYS.has(actor)) return { actor, actorId: '' };
  const [, token, id] = TOKEN.exec(actor) ?? [];
  if (token !== undefined && id !== undefined) return { actor: token, actorId: id };
  return { actor: directory.email(actor) ?? '', actorId: actor };
}

function subjectOf(stream: string, data: Readonly<Record<string, unknown>>): string {
  if (stream.startsWith('user-')) return stream.slice('user-'.length);
  return typeof data.userId === 'string' ? data.userId : '';
}

function visible(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).filter(([name]) => !HIDDEN.has(name)));
}
