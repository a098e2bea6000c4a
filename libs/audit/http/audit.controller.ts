import { Controller, Get, Query, Req } from '@nestjs/common';
import { z } from 'zod';
import { Describe, organizationOf, Requires, type AuthenticatedRequest } from '@app/platform';
import type { AuditRow } from '@app/warehouse';
import { AuditPages } from '../audit-pages.js';
import { toHit, type AuditHit } from './audit-hit.js';

const SIZE_MAX = 1000;

const auditQuery = z.strictObject({
  /** How many of the newest to pass over. */
  from: z.coerce.number().int().nonnegative().default(0),
  size: z.coerce.number().int().positive().max(SIZE_MAX).default(50),
  type: z.string().optional(),
  /** E-mail or id. */
  actor: z.string().optional(),
});

interface AuditHitWithData extends AuditHit {
  readonly data: unknown;
}

@Controller('api/:org/audit')
@Requires('manage-organization')
export class AuditController {
  constructor(private readonly pages: AuditPages) {}

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
          data: { userId: '01K9ZZ0000000000000000000B', role: 'editor' },
          hash: 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',
        },
      ],
      total: 1,
    },
    failures: { INVALID_PARAMETER: 'size: Too big: expected number to be <=1000' },
  })
  async list(
    @Req() request: AuthenticatedRequest,
    @Query() query: unknown,
  ): Promise<{ hits: readonly AuditHitWithData[]; total: number }> {
    const { from, size, type, actor } = auditQuery.parse(query);
    const { rows, total } = await this.pages.page(organizationOf(request).database, {
      offset: from,
      limit: size,
      ...(type === undefined ? {} : { type }),
      ...(actor === undefined ? {} : { actor }),
    });
    return { hits: rows.map(withData), total };
  }
}

const withData = (row: AuditRow): AuditHitWithData => ({
  ...toHit(row),
  data: JSON.parse(row.data) as unknown,
});
