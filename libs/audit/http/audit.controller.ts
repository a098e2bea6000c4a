import { Controller, Get, HttpCode, Post, Query, Req } from '@nestjs/common';
import { z } from 'zod';
import { within } from '@app/flow';
import {
  Describe,
  MillraceError,
  organizationOf,
  Requires,
  type AuthenticatedRequest,
} from '@app/platform';
import type { AuditFilter } from '@app/warehouse';
import { AuditPages, type NamedAuditRow } from '../audit-pages.js';
import { AuditVerifier, type CheckedTrail } from '../chain/audit-verifier.js';
import { toHit, type AuditHit } from './audit-hit.js';

const SIZE_MAX = 1000;

/** Most proxies wait longer than this for an answer. */
const VERIFIED_WITHIN_MS = 50_000;
const STILL_COMPARED = 'the trail is still being compared; ask again';

const time = z.coerce.number().int().nonnegative().optional();
const auditQuery = z.strictObject({
  /** This many of the newest entries are passed over. */
  from: z.coerce.number().int().nonnegative().default(0),
  size: z.coerce.number().int().positive().max(SIZE_MAX).default(50),
  type: z.string().optional(),
  /** E-mail or id. */
  actor: z.string().optional(),
  outcome: z.enum(['done', 'refused', 'failed', 'not ours', 'lost']).optional(),
  stream: z.string().optional().describe('Name of a stream, which may be deleted'),
  hash: z.string().optional().describe('Of one entry, such as a head that was noted'),
  start_time: time.describe('Microseconds since 1970, included'),
  end_time: time.describe('Microseconds since 1970, left out'),
});

interface AuditHitWithData extends AuditHit {
  readonly data: unknown;
}

interface VerifiedTrail {
  readonly intact: boolean;
  readonly entries: number;
  /** Hash of the last entry. */
  readonly head: string;
  /** The differences from the events, at most twenty of them. */
  readonly problems: readonly string[];
  /** Position of the last event that was there when it began. */
  readonly up_to: number;
  /** Microseconds since the epoch. */
  readonly checked_at: number;
}

@Controller('api/:org/audit')
@Requires('manage-organization')
export class AuditController {
  constructor(
    private readonly pages: AuditPages,
    private readonly verifier: AuditVerifier,
  ) {}

  @Get()
  @Describe({
    tag: 'Organizations',
    summary: 'Who did what, when and from where; newest first',
    query: auditQuery,
    answer: {
      hits: [
        {
          position: 17,
          occurred_at: '2026-11-21T09:30:00.000000Z',
          type: 'UserAddedToOrganization',
          outcome: 'done',
          actor: 'root@example.com',
          subject: 'ann@example.com',
          address: '127.0.0.1',
          user_agent: 'curl/8.5.0',
          request_id: '0e8b53c1-0d7c-4d3a-9c44-1c0f5b3f7f11',
          stream: 'organization-01K9ZZ0000000000000000000A',
          stream_name: '',
          data: { userId: '01K9ZZ0000000000000000000B', role: 'editor' },
          hash: 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',
        },
      ],
      total: 1,
    },
    failures: { INVALID_PARAMETER: 'size: want at most 1000' },
  })
  async list(
    @Req() request: AuthenticatedRequest,
    @Query() query: unknown,
  ): Promise<{ hits: readonly AuditHitWithData[]; total: number }> {
    const { from, size, start_time: start, end_time: end, ...named } = auditQuery.parse(query);
    const filter = Object.entries({ ...named, start, end }).filter(
      ([, value]) => value !== undefined,
    );
    const { rows, total } = await this.pages.page(organizationOf(request).database, {
      offset: from,
      limit: size,
      ...(Object.fromEntries(filter) as Omit<AuditFilter, 'offset' | 'limit'>),
    });
    return { hits: rows.map(withData), total };
  }

  @Post('verify')
  @HttpCode(200)
  @Describe({
    tag: 'Organizations',
    summary:
      'Compare the audit trail with the events: every hash, and every entry as it is read. A verdict is given to whoever asks within the next minute, too',
    answer: {
      code: 200,
      data: {
        intact: true,
        entries: 17,
        head: 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',
        problems: [],
        up_to: 42,
        checked_at: 1_790_000_000_000_000,
      },
    },
    failures: {
      NOT_READY: STILL_COMPARED,
    },
  })
  async verify(@Req() request: AuthenticatedRequest): Promise<{ code: 200; data: VerifiedTrail }> {
    const verified = this.verifier.trail(organizationOf(request).database);
    const trail = await within(VERIFIED_WITHIN_MS, verified, () => {
      throw new MillraceError('NOT_READY', STILL_COMPARED, { retryAfterSeconds: 1 });
    });
    return { code: 200, data: recordOf(trail) };
  }
}

const recordOf = ({ entries, head, problems, upTo, checkedAt }: CheckedTrail): VerifiedTrail => ({
  intact: problems.length === 0,
  entries,
  head,
  problems,
  up_to: Number(upTo),
  checked_at: checkedAt * 1000,
});

const withData = (row: NamedAuditRow): AuditHitWithData => ({
  ...toHit(row),
  data: JSON.parse(row.data) as unknown,
});
