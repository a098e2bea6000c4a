import { Module } from '@nestjs/common';
import { GraphQLModule } from '@nestjs/graphql';
import { CatalogueController } from './catalogue.controller.js';
import { CatalogueDriver, CatalogueSchema } from './catalogue-schema.js';

@Module({ providers: [CatalogueSchema], exports: [CatalogueSchema] })
class CatalogueSchemaModule {}

/** One GraphQL schema of the resolvers that all modules of the app declare. */
@Module({
  imports: [
    CatalogueSchemaModule,
    GraphQLModule.forRootAsync({
      imports: [CatalogueSchemaModule],
      driver: CatalogueDriver,
      useFactory: () => ({ autoSchemaFile: true }),
    }),
  ],
  controllers: [CatalogueController],
})
export class CatalogueModule {}
