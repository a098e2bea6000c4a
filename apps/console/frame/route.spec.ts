import fc from 'fast-check';
import { linkTo, parseRoute } from './route.js';

it('a link leads to what it was made for', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (sql, organization) => {
      const link = linkTo({ page: 'ask', organization, sql });
      expect(parseRoute(link)).toMatchObject({ page: 'ask', organization, sql, stream: undefined });
      const search = { page: 'search', organization, stream: sql, text: sql, range: '1h' } as const;
      expect(parseRoute(linkTo(search))).toEqual({ ...search, sql: undefined });
    }),
  );
});

it('an address that says nothing leads to the first page', () => {
  for (const hash of ['', '#', '#/', '#/nowhere', '#ask'])
    expect(parseRoute(hash)).toMatchObject({ page: 'ask', sql: undefined });
});
