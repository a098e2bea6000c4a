import { Injectable } from '@nestjs/common';
import type { RecordedEvent, SnapshottedProjection } from '@app/event-store';
import type { Invitation, InvitationEvent } from '../aggregates/invitations.js';
import type { OrganizationDeleted } from '../aggregates/organization-events.js';
import type { InvitationDeclined } from '../aggregates/user.aggregate.js';
import { PersonalData } from '../people/personal-data.js';
import { UsersProjection } from './users.projection.js';

interface Entry {
  readonly invitation: Invitation;
  /**
   * The invited person has declined, or was erased. The invitation is no longer shown to them, nor
   * to another person who gets the same e-mail later. The organization still sees it as pending,
   * like an invitation to an unused e-mail.
   */
  readonly answered: boolean;
}

type Told = InvitationEvent['type'] | 'InvitationDeclined' | 'OrganizationDeleted' | 'UserErased';

/** Invitations that are neither accepted nor withdrawn, by organization and by invited e-mail. */
@Injectable()
export class InvitationsProjection implements SnapshottedProjection {
  readonly name = 'invitations';
  readonly snapshotVersion = 1;
  /** Invitations by organization, then by id. */
  private readonly entries = new Map<string, Map<string, Entry>>();
  /** Organizations that invite somebody, by the fingerprint of the e-mail. */
  private readonly inviting = new Map<string, Set<string>>();

  constructor(
    private readonly people: PersonalData,
    private readonly users: UsersProjection,
    private readonly now: () => number = Date.now,
  ) {}

  apply({ type, data }: RecordedEvent): void | Promise<void> {
    switch (type as Told) {
      case 'UserInvited':
        return this.invited(data as Invitation);
      case 'InvitationAccepted':
      case 'InvitationWithdrawn':
      case 'InvitationExpired': {
        const { organizationId, invitationId } = data as Invitation;
        this.forget(organizationId, invitationId);
        return this.forgetInvitee(invitationId);
      }
      case 'InvitationDeclined': {
        const { organizationId, invitationId } = data as InvitationDeclined['data'];
        const entry = this.entries.get(organizationId)?.get(invitationId);
        if (entry) this.index({ ...entry, answered: true });
        return;
      }
      case 'OrganizationDeleted':
        return this.forgetAll((data as OrganizationDeleted['data']).organizationId);
      case 'UserErased': {
        const emailHash = this.users.emailHashOf((data as { readonly id: string }).id);
        if (emailHash === undefined) return;
        for (const entry of this.entriesFor(emailHash)) this.index({ ...entry, answered: true });
        return;
      }
      default:
    }
  }

  /** An invitation that has expired counts as ended. */
  async caughtUp(): Promise<void> {
    for (const { invitation } of this.all())
      if (this.isOver(invitation)) await this.forgetInvitee(invitation.invitationId);
  }

  /** The invitations that a person may accept or decline. */
  forPerson(emailHash: string): readonly Invitation[] {
    return this.entriesFor(emailHash)
      .filter(({ answered }) => !answered)
      .map(({ invitation }) => invitation);
  }

  /**
   * The organizations that have invited the e-mail, with any result, and whether there is an
   * account or not.
   */
  organizationsInviting(emailHash: string): readonly string[] {
    return this.entriesFor(emailHash).map(({ invitation }) => invitation.organizationId);
  }

  /** Lists the invitations as the organization sees them. */
  of(organizationId: string): readonly Invitation[] {
    return [...(this.entries.get(organizationId)?.values() ?? [])].flatMap(({ invitation }) =>
      this.isOver(invitation) ? [] : invitation,
    );
  }

  snapshot(): readonly Entry[] {
    return this.all();
  }

  restore(state: unknown): void {
    for (const entry of state as readonly Entry[]) this.index(entry);
  }

  /** Deletes the key of the invited person's e-mail, which nobody needs to read any more. */
  private async forgetInvitee(invitationId: string): Promise<void> {
    if (this.people.hasKey(invitationId)) await this.people.forgetInvitee(invitationId);
  }

  private invited(invitation: Invitation): void {
    const { organizationId, invitationId } = invitation;
    const before = this.entries.get(organizationId)?.get(invitationId);
    this.index({ invitation, answered: before?.answered ?? false });
  }

  private index(entry: Entry): void {
    const { organizationId, invitationId, emailHash } = entry.invitation;
    const entries = this.entries.get(organizationId) ?? new Map<string, Entry>();
    this.entries.set(organizationId, entries.set(invitationId, entry));
    const inviting = this.inviting.get(emailHash) ?? new Set<string>();
    this.inviting.set(emailHash, inviting.add(organizationId));
  }

  private async forgetAll(organizationId: string): Promise<void> {
    for (const invitationId of [...(this.entries.get(organizationId)?.keys() ?? [])]) {
      this.forget(organizationId, invitationId);
      await this.forgetInvitee(invitationId);
    }
  }

  private forget(organizationId: string, invitationId: string): void {
    const entries = this.entries.get(organizationId);
    const entry = entries?.get(invitationId);
    if (!entries || !entry) return;
    entries.delete(invitationId);
    if (entries.size === 0) this.entries.delete(organizationId);
    const { emailHash } = entry.invitation;
    const inviting = this.inviting.get(emailHash);
    inviting?.delete(organizationId);
    if (inviting?.size === 0) this.inviting.delete(emailHash);
  }

  /** Finds the invitations of an e-mail that have not expired. */
  private entriesFor(emailHash: string): readonly Entry[] {
    return [...(this.inviting.get(emailHash) ?? [])].flatMap((organizationId) =>
      [...(this.entries.get(organizationId)?.values() ?? [])].filter(
        ({ invitation }) => invitation.emailHash === emailHash && !this.isOver(invitation),
      ),
    );
  }

  private all(): Entry[] {
    return [...this.entries.values()].flatMap((entries) => [...entries.values()]);
  }

  private isOver({ expiresAt }: Invitation): boolean {
    return Date.parse(expiresAt) <= this.now();
  }
}
