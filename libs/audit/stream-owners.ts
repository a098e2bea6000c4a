import type { RecordedEvent } from '@app/event-store';

/** Knows which organization each stream is of, as far as the events tell that were read by now. */
export class StreamOwners {
  private readonly organizations = new Map<string, string>();

  /** It goes by the name of its event stream. */
  readonly of = (eventStream: string): string | undefined => this.organizations.get(eventStream);

  note({ type, stream, data }: RecordedEvent): void {
    if (type !== 'StreamCreated') return;
    const { organizationId } = data as { readonly organizationId: string };
    this.organizations.set(stream, organizationId);
  }
}
