import { toWarehouseError, withoutPaths } from './warehouse-errors.js';

describe('messages to clients about the engine’s failures', () => {
  it('is its sentence, without where anything lies on this machine', () => {
    const error = toWarehouseError(
      new Error(
        'Code: 117. DB::Exception: Cannot parse: (in file/uri /srv/data/spool/01J/3.ndjson): (at row 1)\nmore (INCORRECT_DATA)',
      ),
    );
    expect(error.told).toBe('Cannot parse: (at row 1)');
    expect(error.message).toContain('/srv/data');
    expect(
      withoutPaths(
        "Illegal type (while reading from part /srv/data/store/0b5/all_1_1_0/ located on disk default), file '/srv/x/y' is not there",
      ),
    ).toBe("Illegal type located on disk default), file '…' is not there");
  });

  it.each(['a/b', '1 / 2 / 3', "format 'a/b/c'", 'https://example.com/a/b', 'SELECT /* x */ 1'])(
    'leaves %s',
    (text) => {
      expect(withoutPaths(text)).toBe(text);
    },
  );
});
