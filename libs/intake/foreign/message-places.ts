import { Injectable } from '@nestjs/common';
import type { DeadMessage, ForeignMessage } from '@app/ingest-queue';
import { certain, MillraceError, type RequestOrganization } from '@app/platform';
import { StorageBounds } from '../store/storage-bounds.js';
import { FedOrganizations, type Place, type PlacedMessage, placeOf } from './place-message.js';

/** Finds the streams of messages, if their organization has room. */
@Injectable()
export class MessagePlaces {
  constructor(
    private readonly organizations: FedOrganizations,
    private readonly storage: StorageBounds,
  ) {}

  /**
   * Finds the places of messages, in their order. A producer cannot be told to wait, so a message
   * without a place or room must not delay the messages behind it.
   * @param bury is called with each message without a place
   */
  async find(
    messages: readonly ForeignMessage[],
    bury: (dead: DeadMessage) => void,
  ): Promise<PlacedMessage[]> {
    // Messages of one producer mostly have the same headers, and then share the object that holds
    // them.
    const places = new Map<ForeignMessage['headers'], Place | string>();
    const found: PlacedMessage[] = [];
    for (const message of messages) {
      const place = places.get(message.headers) ?? placeOf(message.headers, this.organizations);
      places.set(message.headers, place);
      if (typeof place === 'string') bury({ message, reason: place });
      else if (message.value.length === 0) bury({ message, reason: 'the message has no value' });
      else found.push({ message, ...place });
    }
    return this.admitted(found, bury);
  }

  /**
   * Takes back the count of messages that did not get onto the queue, or that are counted there.
   */
  giveBack(placed: Iterable<PlacedMessage>): void {
    for (const { organization, message } of placed)
      this.storage.add(organization, -message.value.length);
  }

  private async admitted(
    found: readonly PlacedMessage[],
    bury: (dead: DeadMessage) => void,
  ): Promise<PlacedMessage[]> {
    const refused = new Map<PlacedMessage, string>();
    for (const placed of byOrganization(found)) {
      const { organization } = certain(placed[0], 'message of an organization');
      const bytes = placed.reduce((sum, { message }) => sum + message.value.length, 0);
      if ((await this.refusal(organization, bytes)) === undefined) continue;
      // There is no room for all of them, but there may be for the first ones.
      for (const each of placed) {
        const reason = await this.refusal(organization, each.message.value.length);
        if (reason !== undefined) refused.set(each, reason);
      }
    }
    for (const [{ message }, reason] of refused) bury({ message, reason });
    return found.filter((each) => !refused.has(each));
  }

  /** @returns undefined when the bytes were admitted, and are counted. */
  private async refusal(
    organization: RequestOrganization,
    bytes: number,
  ): Promise<string | undefined> {
    try {
      await this.storage.admit(organization, bytes);
      return undefined;
    } catch (error) {
      if (error instanceof MillraceError && error.kind === 'STORAGE_FULL') return error.message;
      throw error;
    }
  }
}

/** Yields the messages of each organization; at least one for each. */
function byOrganization(found: readonly PlacedMessage[]): Iterable<readonly PlacedMessage[]> {
  const all = new Map<string, PlacedMessage[]>();
  for (const each of found) {
    const known = all.get(each.organization.id);
    if (known) known.push(each);
    else all.set(each.organization.id, [each]);
  }
  return all.values();
}
