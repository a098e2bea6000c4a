import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { z } from 'zod';
import {
  Describe,
  MillraceError,
  readJson,
  Requires,
  type AuthenticatedRequest,
} from '@app/platform';
import {
  dropRequests,
  parseDropRequests,
  parseTableRequests,
  tableRequests,
} from '../describe/table-request.js';
import { Registrations } from '../registry/registrations.js';

interface Done {
  readonly code: 200;
  readonly message: string;
}

@Controller()
@Requires('configure-streams')
export class RegistrationController {
  constructor(private readonly registrations: Registrations) {}

  /** All entries take effect, or none. An entry without a uri is read again. */
  @Post('table')
  @HttpCode(200)
  @Describe({
    tag: 'Tables',
    summary: 'Registers tables, all or none; one without a uri is read again',
    body: {
      schema: tableRequests,
      example: [{ tableName: 'cities', uri: 'cities.csv,format=csv,delimiter=;' }],
    },
    answer: { code: 200, message: 'cities registered' },
    failures: {
      INVALID_PARAMETER:
        'table "cities" cannot be loaded from cities.csv: there is no such file or folder',
    },
  })
  async register(@Req() request: AuthenticatedRequest): Promise<Done> {
    const requests = parseTableRequests(await bodyOf(request));
    const put = requests.flatMap(({ table }) => (table ? [table.name] : []));
    const hidden = this.registrations.followed(put);
    await this.registrations.register(requests);
    return done(
      requests.map(({ name }) => name),
      hidden.length === 0
        ? 'registered'
        : `registered; not served meanwhile: ${hidden.map((name) => `the followed stream ${name}`).join(', ')}`,
    );
  }

  @Post('tables/drop')
  @HttpCode(200)
  @Describe({
    tag: 'Tables',
    summary: 'Forgets tables, all or none; what they were read from stays',
    body: { schema: dropRequests, example: [{ tableName: 'cities' }] },
    answer: { code: 200, message: 'cities dropped' },
    failures: { STREAM_NOT_FOUND: 'there is no table "cites"; did you mean "cities"?' },
  })
  async drop(@Req() request: AuthenticatedRequest): Promise<Done> {
    const names = parseDropRequests(await bodyOf(request));
    await this.registrations.drop(names);
    return done(names, 'dropped');
  }
}

/**
 * A page of another origin can send texts and forms here without a preflight, but not JSON with its
 * type.
 */
function bodyOf(request: AuthenticatedRequest): Promise<unknown> {
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(request.headers['content-type'] ?? ''))
    throw new MillraceError(
      'UNSUPPORTED_ENCODING',
      'send JSON, with Content-Type: application/json',
    );
  return readJson(request, z.unknown());
}

const done = (names: readonly string[], how: string): Done => ({
  code: 200,
  message: `${names.length === 0 ? 'no tables' : names.join(', ')} ${how}`,
});
