import { Injectable } from '@nestjs/common';
import { ClientSealer } from '@app/event-store';
import { PersonKeys, seal, ServerKey, unseal } from '@app/key-store';
import type { Profile } from '../aggregates/user.aggregate.js';

const EMAIL = 'email';
const CLIENT = 'client';
const KEPT_MAX = 10_000;

/** Where a request came from. */
export interface Client {
  readonly address?: string | undefined;
  readonly userAgent?: string | undefined;
}

/**
 * Seals what is personal with a key of the person's own, and opens it while that key is there.
 * Each text is bound to its person and to what it is, so that none can be put in another's place.
 */
@Injectable()
export class PersonalData extends ClientSealer {
  /** Opened profiles by their sealed form. */
  private readonly opened = new Map<string, Profile>();

  constructor(
    private readonly serverKey: ServerKey,
    private readonly keys: PersonKeys,
  ) {
    super();
  }

  /** The same for the same e-mail in any case of letters; of no other use. */
  emailHash(email: string): string {
    return this.serverKey.fingerprint(EMAIL, email.toLowerCase());
  }

  sealProfile(personId: string, profile: Profile): string {
    const key = this.keys.create(personId);
    return seal(key, JSON.stringify(profile), `profile/${personId}`);
  }

  sealCredential(personId: string, passwordHash: string): string {
    return seal(this.keys.create(personId), passwordHash, `credential/${personId}`);
  }

  /** Undefined once the person is erased. */
  profile({ id, profile }: { readonly id: string; readonly profile: string }): Profile | undefined {
    const known = this.opened.get(profile);
    if (known) return known;
    const key = this.keys.find(id);
    if (!key || profile === '') return undefined;
    const opened = JSON.parse(unseal(key, profile, `profile/${id}`)) as Profile;
    if (this.opened.size >= KEPT_MAX) this.opened.clear();
    this.opened.set(profile, opened);
    return opened;
  }

  /** The password's hash; undefined once the person is erased. */
  credential({
    id,
    credential,
  }: {
    readonly id: string;
    readonly credential: string;
  }): string | undefined {
    const key = this.keys.find(id);
    if (!key || credential === '') return undefined;
    return unseal(key, credential, `credential/${id}`);
  }

  /** Drops the person's key. */
  erase(personId: string): void {
    this.keys.drop(personId);
    this.opened.clear();
  }

  /** With the actor's key, or for those who are nobody's account, with the server's. */
  override seal(actor: string, client: Client): string {
    const key = this.keys.find(actor);
    const text = JSON.stringify(client);
    return key
      ? seal(key, text, `${CLIENT}/${actor}`)
      : this.serverKey.seal(CLIENT, text, `${CLIENT}/${actor}`);
  }

  /** Undefined once the actor is erased. */
  client(actor: string, sealed: string): Client | undefined {
    const key = this.keys.find(actor);
    try {
      const text = key
        ? unseal(key, sealed, `${CLIENT}/${actor}`)
        : this.serverKey.unseal(CLIENT, sealed, `${CLIENT}/${actor}`);
      return JSON.parse(text) as Client;
    } catch {
      return undefined;
    }
  }
}
