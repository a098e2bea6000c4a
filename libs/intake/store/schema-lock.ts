import { Injectable } from '@nestjs/common';
import { ReadWriteLock } from '@app/flow';

/**
 * Makes sure that no batch that was accepted under a schema gets onto the queue while a column of
 * its stream widens: appends share their streams, and a widening has its stream alone.
 */
@Injectable()
export class SchemaLock extends ReadWriteLock {}
