import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { FairStreamTurns } from '@app/flow';
import { StreamsModule } from '@app/streams';
import { BulkController } from './bulk/bulk.controller.js';
import { BulkPipeline } from './bulk/bulk.pipeline.js';
import { SpooledDocuments } from './bulk/spooled-documents.js';
import { DocumentController } from './bulk/document.controller.js';
import { ElasticsearchController } from './elasticsearch/elasticsearch.controller.js';
import { IndexController } from './elasticsearch/index.controller.js';
import { ChunkAcceptance } from './upload/accept-chunks.js';
import { ConcurrentAcceptance } from './store/concurrent-acceptance.js';
import { MessageAcceptor } from './foreign/accept-messages.js';
import { MessagePlaces } from './foreign/message-places.js';
import { FairEngine, FairJudge } from '@app/acceptance';
import { RejectedRecords } from './retry/rejected-records.js';
import { RejectedMover } from './retry/move-rejected.js';
import { RetryOrder } from './retry/retry-order.js';
import { RetryController } from './retry/retry.controller.js';
import { RetryPipeline } from './retry/retry.pipeline.js';
import { DeltaTables } from './delta/delta-tables.js';
import { LokiController } from './loki/loki.controller.js';
import { PrometheusController } from './prometheus/prometheus.controller.js';
import { OtlpController } from './otlp/otlp.controller.js';
import { BatchEnqueuer } from './store/enqueue-batches.js';
import { SchemaEvolution } from './store/schema-evolution.js';
import { ExactWidening } from './store/exact-widening.js';
import { GroupedUploads } from './upload/grouped-uploads.js';
import { KeptUploads } from './upload/request/kept-uploads.js';
import { SchemaLock } from './store/schema-lock.js';
import { AcceptedStore } from './store/store-accepted.js';
import { UploadStore } from './upload/store-upload.js';
import { StreamSchemas } from './store/stream-schemas.js';
import { UploadIntake } from './upload/request/upload-intake.js';
import { UploadRates } from './upload/request/upload-rates.js';
import { RecordUploads } from './upload/record-uploads.js';
import { TableUploads } from './upload/table-uploads.js';
import { LineUploads } from './upload/line-uploads.js';
import { UploadController } from './upload/upload.controller.js';
import { UploadPipeline } from './upload/upload.pipeline.js';
import { WriteProgress } from '@app/writer';

/** Needs from the app: IngestQueue, LocalEngine, WarehouseReader, StreamsProjection, Spool, StorageBounds, FedOrganizations, DeadLetter, UPLOAD_LIMITS, DELTA_SOURCES. */
@Module({
  imports: [CqrsModule, StreamsModule],
  controllers: [
    UploadController,
    RetryController,
    BulkController,
    DocumentController,
    ElasticsearchController,
    IndexController,
    OtlpController,
    LokiController,
    PrometheusController,
  ],
  providers: [
    UploadPipeline,
    BulkPipeline,
    SpooledDocuments,
    ChunkAcceptance,
    ConcurrentAcceptance,
    FairEngine,
    FairJudge,
    RetryPipeline,
    RetryOrder,
    RejectedMover,
    RejectedRecords,
    UploadRates,
    UploadIntake,
    FairStreamTurns,
    AcceptedStore,
    UploadStore,
    RecordUploads,
    LineUploads,
    KeptUploads,
    TableUploads,
    DeltaTables,
    GroupedUploads,
    StreamSchemas,
    SchemaEvolution,
    ExactWidening,
    BatchEnqueuer,
    SchemaLock,
    WriteProgress,
    MessageAcceptor,
    MessagePlaces,
  ],
  exports: [
    WriteProgress,
    UploadIntake,
    UploadPipeline,
    AcceptedStore,
    MessageAcceptor,
    MessagePlaces,
  ],
})
export class IntakeModule {}
