import { Module } from '@nestjs/common';
import { ClickHouseController } from './clickhouse-http/clickhouse.controller.js';
import { QueryModule } from './query.module.js';

/** ClickHouse's HTTP interface, for clients that speak nothing else. Needs what {@link QueryModule} needs. */
@Module({ imports: [QueryModule], controllers: [ClickHouseController] })
export class ClickHouseHttpModule {}
