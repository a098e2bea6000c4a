import { Injectable } from '@nestjs/common';
import { AbstractGraphQLDriver, type GqlModuleOptions } from '@nestjs/graphql';
import type { GraphQLSchema } from 'graphql';
import { MillraceError } from '@app/platform';

/** Makes the schema at the first request, from the resolvers of all modules. */
@Injectable()
export class MetadataSchema {
  private make: (() => Promise<GraphQLSchema>) | undefined;
  private made: Promise<GraphQLSchema> | undefined;

  makeBy(make: () => Promise<GraphQLSchema>): void {
    this.make = make;
  }

  /** @throws {MillraceError} NOT_READY before the resolvers are found */
  async get(): Promise<GraphQLSchema> {
    if (!this.make)
      throw new MillraceError('NOT_READY', 'the server is starting; try again in a moment');
    this.made ??= this.make();
    return this.made;
  }
}

/**
 * Makes the schema at the first request that asks for it, because it takes a tenth of a start. It
 * opens no route: the routes of ready-made drivers support neither our authentication by `:org` nor
 * our form of errors.
 */
@Injectable()
export class MetadataGraphqlDriver extends AbstractGraphQLDriver {
  constructor(private readonly host: MetadataSchema) {
    super();
  }

  override generateSchema(options: GqlModuleOptions): null {
    this.host.makeBy(() => this.graphQlFactory.generateSchema(options));
    return null;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }
}
