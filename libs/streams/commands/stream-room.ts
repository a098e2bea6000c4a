import { Inject, Injectable } from '@nestjs/common';
import { MillraceError, type RequestOrganization } from '@app/platform';
import { STREAM_BOUNDS, type StreamBounds } from '../stream-bounds.settings.js';
import { StreamsProjection } from '../projections/streams.projection.js';

/** Counts the streams of an organization. */
@Injectable()
export class StreamRoom {
  /**
   * Names that are being created, by organization. They count already, so two requests at once
   * cannot exceed the limit.
   */
  private readonly making = new Map<string, string[]>();

  constructor(
    private readonly streams: StreamsProjection,
    @Inject(STREAM_BOUNDS) private readonly bounds: StreamBounds,
  ) {}

  /**
   * Refuses a stream that would be one too many. It is called before work is done for a stream, and
   * again when the stream is made.
   * @throws {MillraceError} LIMIT_REACHED when it would be one too many
   */
  checkFor({ id }: RequestOrganization, name: string, byRoot: boolean): void {
    const { streams: most } = this.bounds;
    const making = new Set(this.making.get(id));
    if (byRoot || making.has(name) || this.streams.find(id, name)) return;
    const coming = [...making].filter((each) => !this.streams.find(id, each));
    if (this.streams.count(id) + coming.length < most) return;
    throw new MillraceError(
      'LIMIT_REACHED',
      `stream ${name} would be one more than the ${most} that an organization may have (MILLRACE_ORG_STREAMS); nothing was stored in it; delete streams, or ask the operator of the server for more`,
    );
  }

  /** Creates the stream if there is room. @throws {MillraceError} LIMIT_REACHED */
  async during<T>(
    organization: RequestOrganization,
    name: string,
    byRoot: boolean,
    make: () => Promise<T>,
  ): Promise<T> {
    this.checkFor(organization, name, byRoot);
    const making = this.making.get(organization.id) ?? [];
    this.making.set(organization.id, making);
    making.push(name);
    try {
      return await make();
    } finally {
      making.splice(making.indexOf(name), 1);
      if (making.length === 0) this.making.delete(organization.id);
    }
  }
}
