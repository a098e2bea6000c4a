import { Module } from '@nestjs/common';
import { KeyValueController } from './http/kv.controller.js';
import { RejectedController } from './http/rejected.controller.js';
import { SearchController } from './http/search.controller.js';
import { StreamPagesController } from './http/stream-pages.controller.js';
import { QueryModule } from './query.module.js';
import { CanonicalText } from './search/canonical-text.js';
import { SearchPipeline } from './search/search.pipeline.js';

/** What is asked of streams in OpenObserve's way: they have times, and records that did not fit. */
@Module({
  imports: [QueryModule],
  controllers: [KeyValueController, RejectedController, SearchController, StreamPagesController],
  providers: [CanonicalText, SearchPipeline],
})
export class SearchModule {}
