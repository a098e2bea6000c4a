import type { TableHold } from '@app/query';

/**
 * Decides which clients may connect by this protocol, and which tables they see. The app provides
 * it.
 */
export interface FlightSqlDoor {
  /**
   * @param authorization of a call: Basic, Bearer, or none
   * @returns a bearer that lets the same caller in again, by `Bearer …`
   * @throws {MillraceError} UNAUTHORIZED
   */
  admit(authorization: string | undefined): string;

  /** @throws {MillraceError} */
  hold(): TableHold;
}
