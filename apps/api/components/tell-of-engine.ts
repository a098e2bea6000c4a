import type { Logger } from '@app/platform';
import type { EngineEvent } from '@app/warehouse';

/** Logs the events of the engine's process that an operator should know. */
export function tellOfEngine(event: EngineEvent, logger: Logger): void {
  const name = event.of === 'warehouse' ? 'the engine' : 'the engine that reads uploads';
  if (event.type === 'ended') {
    logger.warn({ reason: event.reason }, `${name} has ended and is started again`);
    return;
  }
  if (event.type === 'mended') {
    const { database, table } = event;
    if (table === undefined)
      logger.warn({ database }, 'the definition of a database was damaged, and is made again');
    else
      logger.warn({ database, table }, 'the definition of a table had the UUID of another one, and has that of its rows again'); // prettier-ignore
    return;
  }
  if (event.type === 'searching') {
    logger.warn({ reason: event.reason }, `${name} does not start, and does not say why: it is started with fewer tables, to find the one that it cannot load`); // prettier-ignore
    return;
  }
  if (event.type === 'aside') {
    logger.warn(event.table, 'the engine does not start with the definition of a table, which is set aside'); // prettier-ignore
    return;
  }
  const { pid, walls } = event;
  logger.info({ enginePid: pid, ...walls }, `${name} has started`);
  if (!walls.files || !walls.tcp)
    logger.warn(
      walls,
      `this system does not hold ${name} to its own files and connections (Landlock, Linux 6.7): see SECURITY.md`,
    );
}
