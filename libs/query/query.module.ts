import { Module } from '@nestjs/common';
import { Guard } from './guard/guard.js';
import { SqlController } from './http/sql.controller.js';
import { RejectedController } from './http/rejected.controller.js';
import { TablesController } from './http/tables.controller.js';
import { QueryPipeline } from './query.pipeline.js';

/** Needs from the app: WarehouseReader and Catalog. */
@Module({
  controllers: [SqlController, TablesController, RejectedController],
  providers: [Guard, QueryPipeline],
})
export class QueryModule {}
