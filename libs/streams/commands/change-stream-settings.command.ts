import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandPipeline, type CommandContext } from '@app/event-store';
import type { Column } from '@app/warehouse';
import { streamAggregate } from '../aggregates/stream.aggregate.js';
import { WarehouseTablesProjection } from '../projections/warehouse-tables.projection.js';
import type { SettingsChange } from '../aggregates/stream-settings.js';

/** Changes a stream's settings and declares types of its columns, completely or not at all. */
export class ChangeStreamSettings {
  constructor(
    readonly streamId: string,
    readonly change: SettingsChange,
    readonly declared: readonly Column[],
    /** True when the change must not delete rows. */
    readonly keepsRows: boolean,
    readonly context: CommandContext,
  ) {}
}

@CommandHandler(ChangeStreamSettings)
export class ChangeStreamSettingsHandler implements ICommandHandler<ChangeStreamSettings, void> {
  constructor(
    private readonly pipeline: CommandPipeline,
    private readonly tables: WarehouseTablesProjection,
  ) {}

  async execute(command: ChangeStreamSettings): Promise<void> {
    const { streamId, change, declared, keepsRows, context } = command;
    await this.pipeline.handle({
      decider: streamAggregate,
      stream: `stream-${streamId}`,
      command: { type: 'change-settings', change, declared, keepsRows },
      context,
    });
    this.tables.checkUsable(streamId);
  }
}
