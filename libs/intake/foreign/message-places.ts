import { Injectable } from '@nestjs/common';
import type { ForeignMessage } from '@app/ingest-queue';
import { MillraceError } from '@app/platform';
import { StorageBounds } from '../store/storage-bounds.js';
import { FedOrganizations, placeMessage, type PlacedMessage } from './place-message.js';

/** Finds the streams of messages, where their organization has room. */
@Injectable()
export class MessagePlaces {
  constructor(
    private readonly organizations: FedOrganizations,
    private readonly storage: StorageBounds,
  ) {}

  /** A producer cannot be told to wait: what has no room must not keep up what is behind it. @returns why it has no place, when it has none. */
  async find(message: ForeignMessage): Promise<PlacedMessage | string> {
    const place = placeMessage(message, this.organizations);
    if (typeof place === 'string') return place;
    try {
      await this.storage.admit(place.organization, message.value.length);
      return place;
    } catch (error) {
      if (error instanceof MillraceError && error.kind === 'STORAGE_FULL') return error.message;
      throw error;
    }
  }
}
