import { Injectable } from '@nestjs/common';
import { ReadWriteLock } from '@app/flow';

/**
 * Keeps batches that were accepted under a schema from slipping into the queue while a column of
 * their stream widens: appends share their streams, and a widening has its stream alone.
 */
@Injectable()
export class SchemaLock extends ReadWriteLock {}
