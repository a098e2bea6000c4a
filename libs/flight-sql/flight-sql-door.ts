import type { TableHold } from '@app/query';

/** Whom the program lets in by this protocol, and to which tables. Handed in by the app. */
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
