import { readRequestParameters } from './request-parameters.js';

describe("the parameters of a client's request", () => {
  it('has the statement, values, the settings that a statement may have, and how to answer', () => {
    expect(
      readRequestParameters({
        query: 'SELECT {a:String}',
        param_a: 'x',
        database: 'acme',
        default_format: 'JSONCompact',
        join_use_nulls: '0',
        session_timezone: "a'b",
        compress: '1',
        client_protocol_version: '54405',
        session_id: 's',
        query_id: 'q',
        readonly: '0',
      }),
    ).toEqual({
      statement: 'SELECT {a:String}',
      values: { a: 'x' },
      database: 'acme',
      format: { name: 'JSONCompact', format: 'JSONCompact', contentType: expect.stringContaining('json') as string }, // prettier-ignore
      settings: ["join_use_nulls = '0'", "session_timezone = 'a\\'b'"],
      isCompressed: true,
      isAwaited: true,
      isEncoded: false,
      protocolVersion: '54405',
    });
  });

  it.each([
    [{ user: 'ann' }, /X-ClickHouse-User/],
    [{ password: 'x' }, /X-ClickHouse-Key/],
    [{ allow_ddl: '1' }, /setting "allow_ddl" is not allowed/],
    [{ max_memory_usage: '1' }, /is not allowed/],
    [{ x_structure: 'a Int8' }, /"x_structure" describes a table that comes beside the statement/],
    [{ constructor: '1' }, /is not allowed/],
    [{ format_template_row: '/etc/passwd' }, /is not allowed/],
    [{ default_format: 'Template' }, /is not written here/],
    [{ default_format: 'JSON SETTINGS a = 1' }, /is not written here/],
    [{ network_compression_method: 'zstd' }, /by LZ4/],
    [{ decompress: '1' }, /Content-Encoding/],
    [{ client_protocol_version: "1' OR" }, /is a number/],
    [{ query: ['SELECT 1', 'SELECT 2'] }, /stands there twice/],
  ])('refuses %j', (parameters, why) => {
    expect(() => readRequestParameters(parameters)).toThrow(why);
  });
});
