import { Module } from '@nestjs/common';
import { GraphQLModule } from '@nestjs/graphql';
import { MetadataGraphqlController } from './metadata-graphql.controller.js';
import { MetadataGraphqlDriver, MetadataSchema } from './metadata-schema.js';

@Module({ providers: [MetadataSchema], exports: [MetadataSchema] })
class MetadataSchemaModule {}

/** One GraphQL schema of the resolvers that all modules of the app declare. */
@Module({
  imports: [
    MetadataSchemaModule,
    GraphQLModule.forRootAsync({
      imports: [MetadataSchemaModule],
      driver: MetadataGraphqlDriver,
      // A test checks the whole schema, so that each start need not.
      useFactory: () => ({ autoSchemaFile: true, buildSchemaOptions: { skipCheck: true } }),
    }),
  ],
  controllers: [MetadataGraphqlController],
})
export class MetadataGraphqlModule {}
