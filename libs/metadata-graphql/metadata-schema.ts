import { Injectable } from '@nestjs/common';
import { AbstractGraphQLDriver, type GqlModuleOptions } from '@nestjs/graphql';
import { GraphQLSchema } from 'graphql';
import { MillraceError } from '@app/platform';

/** Tells where the schema is once the resolvers of all modules are found. */
@Injectable()
export class MetadataSchema {
  private schema: GraphQLSchema | undefined;

  set(schema: GraphQLSchema): void {
    this.schema = schema;
  }

  get(): GraphQLSchema {
    if (this.schema) return this.schema;
    throw new MillraceError('NOT_READY', 'the server is starting; try again in a moment');
  }
}

/**
 * Takes the schema and opens no route: those of the drivers that come with servers know neither
 * our authentication by `:org` nor our shape of errors.
 */
@Injectable()
export class MetadataGraphqlDriver extends AbstractGraphQLDriver {
  constructor(private readonly host: MetadataSchema) {
    super();
  }

  start({ schema }: GqlModuleOptions): Promise<void> {
    if (schema) this.host.set(schema);
    return Promise.resolve();
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }
}
