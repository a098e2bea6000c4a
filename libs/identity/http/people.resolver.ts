import { Context, Field, Float, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { MillraceError, organizationOf, Requires, type AuthenticatedRequest } from '@app/platform';
import { MemberList, type UserRecord } from '../people/member-list.js';
import { OrganizationsProjection } from '../projections/organizations.projection.js';

@ObjectType('Organization')
class OrganizationInGraphql {
  @Field(() => String) name!: string;
  @Field(() => Float, { description: 'Microseconds since the epoch' }) created_at!: number;
  @Field(() => Float, { description: 'Members' }) users!: number;
}

@ObjectType('User')
class UserInGraphql {
  @Field(() => String) email!: string;
  @Field(() => String) first_name!: string;
  @Field(() => String) last_name!: string;
  @Field(() => String) role!: string;
  @Field(() => Float, { description: 'Microseconds since the epoch' }) created_at!: number;
}

/** The organization and its members, in the GraphQL schema of metadata. */
@Resolver()
@Requires('view')
export class PeopleResolver {
  constructor(
    private readonly organizations: OrganizationsProjection,
    private readonly members: MemberList,
  ) {}

  @Query(() => OrganizationInGraphql, { description: 'The one that the route names' })
  organization(@Context('request') request: AuthenticatedRequest): OrganizationInGraphql {
    const { id, name } = organizationOf(request);
    const organization = this.organizations.get(id);
    if (!organization)
      throw new MillraceError('ORGANIZATION_NOT_FOUND', `there is no organization ${name}`);
    return {
      name,
      created_at: organization.createdAt * 1000,
      users: this.members.of(organizationOf(request)).length,
    };
  }

  @Query(() => [UserInGraphql], { nullable: true, description: 'Members; for admins' })
  @Requires('manage-organization')
  users(@Context('request') request: AuthenticatedRequest): readonly UserRecord[] {
    return this.members.of(organizationOf(request));
  }
}
