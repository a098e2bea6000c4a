import { createHmac } from 'node:crypto';
import type { FlightSqlDoor } from '@app/flight-sql';
import type { TableHold } from '@app/query';
import { holdTables } from '../registry/hold-tables.js';
import type { TableRegistry } from '../registry/table-registry.js';
import { ShownToken } from '../shown-token.js';

/** Lets clients of Flight SQL in as HTTP does. A handshake gives them a bearer that any client can send. */
export class EdgeFlightSqlDoor implements FlightSqlDoor {
  private readonly bearer: string;
  private readonly token: ShownToken;

  constructor(
    private readonly tables: Pick<TableRegistry, 'hold'>,
    token: string | undefined,
  ) {
    this.bearer = createHmac('sha256', token ?? '').update('bearer of Flight SQL').digest('base64url'); // prettier-ignore
    this.token = new ShownToken(token, [this.bearer]);
  }

  admit(authorization: string | undefined): string {
    this.token.check(authorization);
    return this.bearer;
  }

  hold(): TableHold {
    return holdTables(this.tables);
  }
}
