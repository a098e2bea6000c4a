import { Injectable } from '@nestjs/common';
import { OperatorError } from '@app/platform';
import { EventSealer } from '@app/event-store';
import { PersonKeys, seal, ServerKey, unseal } from '@app/key-store';
import type { Profile } from '../aggregates/user.aggregate.js';

const EMAIL = 'email';
const CLIENT = 'client';
const INVITEE = 'invitee';
const CONTENT = 'content';
const KEPT_MAX = 10_000;
export const FOREIGN_KEYS =
  'the keys of people (<data>/person-keys, or millrace.person_keys on a ClickHouse server) are missing or of another data directory; restore them from the same backup as the events';

/** The origin of a request. */
export interface Client {
  readonly address?: string | undefined;
  readonly userAgent?: string | undefined;
}

/** The fields of an invitation that concern the e-mail. */
interface Invited {
  readonly invitationId: string;
  readonly invitee: string;
}

/**
 * Seals personal data with a key of the person's own, and opens it while that key exists. Each text
 * is bound to its person and its purpose, so that it cannot be used in another place.
 */
@Injectable()
export class PersonalData extends EventSealer {
  /** Opened profiles by their sealed form. */
  private readonly opened = new Map<string, Profile>();

  constructor(
    private readonly serverKey: ServerKey,
    private readonly keys: PersonKeys,
  ) {
    super();
  }

  /**
   * Hashes an e-mail. The hash is the same for any case of letters, and serves only to compare
   * e-mails.
   */
  emailHash(email: string): string {
    return this.serverKey.lastingFingerprint(EMAIL, email.toLowerCase());
  }

  /**
   * Seals a new account with one key, even if another process makes a key for the same person
   * meanwhile.
   */
  async sealAccount(
    personId: string,
    account: { readonly profile: Profile; readonly passwordHash: string },
  ): Promise<{ readonly profile: string; readonly credential: string }> {
    const key = await this.keys.create(personId);
    return {
      profile: seal(key, JSON.stringify(account.profile), `profile/${personId}`),
      credential: seal(key, account.passwordHash, `credential/${personId}`),
    };
  }

  async sealProfile(personId: string, profile: Profile): Promise<string> {
    const key = await this.keys.create(personId);
    return seal(key, JSON.stringify(profile), `profile/${personId}`);
  }

  async sealCredential(personId: string, passwordHash: string): Promise<string> {
    return seal(await this.keys.create(personId), passwordHash, `credential/${personId}`);
  }

  /** It is undefined once the person is erased. */
  profile({ id, profile }: { readonly id: string; readonly profile: string }): Profile | undefined {
    const known = this.opened.get(profile);
    if (known) return known;
    const text = profile === '' ? undefined : this.open(id, profile, `profile/${id}`);
    if (text === undefined) return undefined;
    const opened = JSON.parse(text) as Profile;
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
    return credential === '' ? undefined : this.open(id, credential, `credential/${id}`);
  }

  /** Finds the key that another process has made for a person whose account is now known. */
  async learn({
    id,
    profile,
    credential,
  }: {
    readonly id: string;
    readonly profile: string;
    readonly credential: string;
  }): Promise<void> {
    await this.keys.learn(
      id,
      (key) => opens(key, profile, `profile/${id}`) || opens(key, credential, `credential/${id}`),
    );
  }

  /** Tells whether any sealed data of the person could still be opened. */
  hasKey(personId: string): boolean {
    return this.keys.find(personId).length > 0;
  }

  /** Deletes the person's key. */
  async erase(personId: string): Promise<void> {
    this.opened.clear();
    await this.keys.drop(personId);
  }

  /** Seals with a key of the invitation's own, which is deleted when the invitation ends. */
  async sealInvitee(invitationId: string, address: string): Promise<string> {
    const key = await this.keys.create(invitationId);
    return seal(key, address, `${INVITEE}/${invitationId}`);
  }

  /** The e-mail that was invited; undefined once the invitation is over. */
  invitee({ invitationId, invitee }: Invited): string | undefined {
    return this.open(invitationId, invitee, `${INVITEE}/${invitationId}`);
  }

  /** Finds the key that another process has made for an invitation. */
  async learnInvitee({ invitationId, invitee }: Invited): Promise<void> {
    await this.keys.learn(invitationId, (key) => opens(key, invitee, `${INVITEE}/${invitationId}`));
  }

  async forgetInvitee(invitationId: string): Promise<void> {
    await this.keys.drop(invitationId);
  }

  /** Seals with the actor's key. An actor without an account is sealed with the server's key. */
  override seal(actor: string, client: Client): string {
    const [key] = this.keysOf(actor);
    const text = JSON.stringify(client);
    return key
      ? seal(key, text, `${CLIENT}/${actor}`)
      : this.serverKey.seal(CLIENT, text, `${CLIENT}/${actor}`);
  }

  override fingerprint(text: string): string {
    return this.serverKey.lastingFingerprint(CONTENT, text);
  }

  /** It is undefined once the actor is erased. */
  client(actor: string, sealed: string): Client | undefined {
    try {
      const text =
        this.open(actor, sealed, `${CLIENT}/${actor}`) ??
        this.serverKey.unseal(CLIENT, sealed, `${CLIENT}/${actor}`);
      return JSON.parse(text) as Client;
    } catch {
      return undefined;
    }
  }

  /** A token (`token <name> <id>`) is no person, and has no key. */
  private keysOf(actor: string): readonly Uint8Array[] {
    return actor.startsWith('token ') ? [] : this.keys.find(actor);
  }

  /** It is undefined once the person has no key. @throws if none of the person's keys opens it */
  private open(personId: string, sealed: string, boundTo: string): string | undefined {
    const keys = this.keysOf(personId);
    const [first, other] = keys;
    if (!first) return undefined;
    const key = other ? keys.find((each) => opens(each, sealed, boundTo)) : first;
    try {
      return unseal(key ?? first, sealed, boundTo);
    } catch (error) {
      throw new OperatorError(FOREIGN_KEYS, { cause: error });
    }
  }
}

function opens(key: Uint8Array, sealed: string, boundTo: string): boolean {
  try {
    unseal(key, sealed, boundTo);
    return true;
  } catch {
    return false;
  }
}
