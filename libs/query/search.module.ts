import { Module } from '@nestjs/common';
import { KeyValueController } from './http/kv.controller.js';
import { RejectedController } from './http/rejected.controller.js';
import { SearchController } from './http/search.controller.js';
import { StreamPagesController } from './http/stream-pages.controller.js';
import { TailController } from './http/tail.controller.js';
import { QueryModule } from './query.module.js';
import { CanonicalText } from './search/canonical-text.js';
import { SearchPipeline } from './search/search.pipeline.js';
import { OpenTails } from './tail/open-tails.js';
import { TailPipeline } from './tail/tail.pipeline.js';

/**
 * Answers requests that are specific to streams: they have times, rejected records, and new rows.
 * It needs from the app, besides the needs of QueryModule: TailSource, CallerStanding.
 */
@Module({
  imports: [QueryModule],
  controllers: [
    KeyValueController,
    RejectedController,
    SearchController,
    StreamPagesController,
    TailController,
  ],
  providers: [CanonicalText, OpenTails, SearchPipeline, TailPipeline],
})
export class SearchModule {}
