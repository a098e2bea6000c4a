import { MillraceError } from '@app/platform';
import { malformed } from './malformed.js';

/**
 * Each level of an attribute's value is three of messages. Records have 100 levels at most; a value
 * that is a little deeper is rejected as a record.
 */
const DEPTH_MAX = 400;
/** One record may have so many messages and values, however few bytes each of them has. */
const VALUES_MAX = 200_000;
/**
 * One request may have so many messages, values of lists, and ignored fields. Each may be only two
 * bytes, and such bodies compress well.
 */
const STEPS_MAX = 8_000_000;
/** One request may have so many messages that hold lists of others (resources, scopes, metrics, streams, series), which need no record to be in them. */
const HOLDERS_MAX = 1_000_000;

/**
 * Bounds the work and the memory that one request, and one record of it, may cost us, and how deep
 * it may lead, in whatever encoding it comes.
 */
export class ReadBounds {
  private depth = 0;
  private left = VALUES_MAX;
  private steps = STEPS_MAX;
  private holders = HOLDERS_MAX;

  /** @throws {MillraceError} */
  enter(): void {
    this.depth += 1;
    if (this.depth > DEPTH_MAX)
      throw malformed(`the message is nested more than ${DEPTH_MAX} deep`);
    this.value();
  }

  leave(): void {
    this.depth -= 1;
  }

  /** @throws {MillraceError} */
  value(): void {
    this.left -= 1;
    if (this.left < 0) throw tooLarge(`a record may have at most ${VALUES_MAX} values`);
    this.step();
  }

  /** @throws {MillraceError} */
  step(): void {
    this.steps -= 1;
    if (this.steps < 0)
      throw tooLarge(`a request may have at most ${STEPS_MAX} messages and unknown fields`);
  }

  /** @throws {MillraceError} */
  holder(): void {
    this.holders -= 1;
    if (this.holders < 0)
      throw tooLarge(
        `a request may have at most ${HOLDERS_MAX} resources, scopes, metrics, streams and series`,
      );
  }

  /** The next record may use its own limit again; the limit of the request goes on counting. */
  renew(): void {
    this.left = VALUES_MAX;
  }
}

const tooLarge = (message: string): MillraceError =>
  new MillraceError('UPLOAD_TOO_LARGE', `${message}; split it`);
