import { Module } from '@nestjs/common';
import { Guard } from './guard/guard.js';
import { SqlController } from './http/sql.controller.js';
import { TablesController } from './http/tables.controller.js';
import { QueryPipeline } from './query.pipeline.js';

/** Needs from the app: WarehouseReader and Catalog. */
@Module({
  controllers: [SqlController, TablesController],
  providers: [Guard, QueryPipeline],
})
export class QueryModule {}
