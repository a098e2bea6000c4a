import { Module, type DynamicModule } from '@nestjs/common';
import {
  GRAPHIQL_PAGE,
  GraphiqlController,
  type GraphiqlPage,
} from './http/graphiql.controller.js';

/** The folder of the page, seen from this file and from the bundle of the edge program, which lies as deep. */
const FOLDER = new URL('../../libs/query/graphiql/', import.meta.url);

/** GraphiQL at `/graphiql`. */
@Module({})
export class GraphiqlModule {
  /**
   * @param program the hosted program has organizations to choose from, the edge program has none
   */
  static of(program: GraphiqlPage['program']): DynamicModule {
    const page: GraphiqlPage = { folder: FOLDER, program };
    return {
      module: GraphiqlModule,
      controllers: [GraphiqlController],
      providers: [{ provide: GRAPHIQL_PAGE, useValue: page }],
    };
  }
}
