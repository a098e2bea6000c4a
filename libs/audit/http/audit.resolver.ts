import { Args, Context, Field, Float, Int, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { MillraceError, organizationOf, Requires, type AuthenticatedRequest } from '@app/platform';
import { AuditPages } from '../audit-pages.js';
import { toHit } from './audit-hit.js';

const SIZE_MAX = 1000;

@ObjectType('AuditEntry')
class AuditEntryInGraphql {
  @Field(() => Float) position!: number;
  @Field(() => String, { description: 'ISO 8601, UTC' }) occurred_at!: string;
  @Field(() => String) type!: string;
  @Field(() => String) outcome!: string;
  @Field(() => String) actor!: string;
  @Field(() => String) subject!: string;
  @Field(() => String) address!: string;
  @Field(() => String) stream!: string;
  @Field(() => String) stream_name!: string;
  @Field(() => String, { description: 'JSON' }) data!: string;
  @Field(() => String) hash!: string;
}

@ObjectType('AuditPage')
class AuditPage {
  @Field(() => [AuditEntryInGraphql]) hits!: AuditEntryInGraphql[];
  @Field(() => Float) total!: number;
}

/** Adds to the GraphQL schema of metadata the question who did what in the organization. */
@Resolver()
@Requires('manage-organization')
export class AuditResolver {
  constructor(private readonly pages: AuditPages) {}

  @Query(() => AuditPage, { nullable: true, description: 'Newest first; for admins' })
  async audit(
    @Context('request') request: AuthenticatedRequest,
    @Args('from', { type: () => Int, defaultValue: 0 }) from: number,
    @Args('size', { type: () => Int, defaultValue: 50 }) size: number,
    @Args('type', { type: () => String, nullable: true }) type?: string,
    @Args('actor', { type: () => String, nullable: true }) actor?: string,
    @Args('stream', { type: () => String, nullable: true }) stream?: string,
  ): Promise<AuditPage> {
    if (from < 0 || size < 1 || size > SIZE_MAX)
      throw new MillraceError('INVALID_PARAMETER', `audit: from 0 on, size 1 to ${SIZE_MAX}`);
    const { rows, total } = await this.pages.page(organizationOf(request).database, {
      offset: from,
      limit: size,
      ...(type ? { type } : {}),
      ...(actor ? { actor } : {}),
      ...(stream ? { stream } : {}),
    });
    const hits = rows.map((row) => ({ ...toHit(row), data: row.data }));
    return { hits, total };
  }
}
