import fc from 'fast-check';
import { linkTo, parseRoute } from './route.js';

it('a link leads to what it was made for', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (sql, organization) => {
      const link = linkTo({ page: 'ask', organization, sql });
      expect(parseRoute(link)).toEqual({ page: 'ask', organization, sql, stream: undefined });
    }),
  );
});

it('an address that says nothing leads to the first page', () => {
  for (const hash of ['', '#', '#/', '#/nowhere', '#ask'])
    expect(parseRoute(hash)).toMatchObject({ page: 'ask', sql: undefined });
});
