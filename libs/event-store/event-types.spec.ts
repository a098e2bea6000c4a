import { z } from 'zod';
import { EventTypes, past, type EventFields } from './event-types.js';

/** Types of an imagined history: a field was renamed, and an event was split into two. */
type Today =
  | { readonly type: 'Named'; readonly data: { readonly fullName: string; readonly note?: string } }
  | { readonly type: 'Moved'; readonly data: { readonly to: string } };

const fields: EventFields<Today> = {
  Named: { fullName: z.string(), note: z.string().exactOptional() },
  Moved: { to: z.string() },
};
const types = new EventTypes(fields, {
  Named: [
    past({ first: z.string(), last: z.string() }, ({ first, last }) => [
      { type: 'Named', version: 2, data: { name: `${first} ${last}` } },
    ]),
    past({ name: z.string() }, ({ name }) => [
      { type: 'Named', version: 3, data: { fullName: name } },
    ]),
  ],
  Registered: [
    past({ name: z.string(), town: z.string() }, ({ name, town }) => [
      { type: 'Named', version: 2, data: { name } },
      { type: 'Moved', version: 1, data: { to: town } },
    ]),
  ],
  Turning: [past({}, () => [{ type: 'Turning', version: 1, data: {} }])],
});
const judge = (type: string, version: number, data: unknown) =>
  types.judge({ type, version, data });
const named = (fullName: string) => ({ type: 'Named', data: { fullName } });

describe('types of events', () => {
  it('read what is written today as it is', () => {
    const data = { fullName: 'Ann X', added: 'by a later server' };
    const judged = judge('Named', 3, data);
    expect(judged).toEqual({ events: [{ type: 'Named', data }] });
    expect(types.versionOf('Named')).toBe(3);
    expect(types.versionOf('Moved')).toBe(1);
  });

  it('read a renamed field of any version by its name today', () => {
    expect(judge('Named', 2, { name: 'Ann X' })).toEqual({ events: [named('Ann X')] });
    expect(judge('Named', 1, { first: 'Ann', last: 'X' })).toEqual({ events: [named('Ann X')] });
  });

  it('read an event that was split as those it became, each up to today', () => {
    expect(judge('Registered', 1, { name: 'Ann X', town: 'Ulm' })).toEqual({
      events: [named('Ann X'), { type: 'Moved', data: { to: 'Ulm' } }],
    });
    expect(types.versionOf('Registered')).toBeUndefined();
  });

  it.each([
    ['a type that nobody knows', 'Other', 1, {}, 'this type of event is not known'],
    ['a later version', 'Named', 4, {}, 'version 4 of this type of event is not known'],
    ['a later one of what is not written any more', 'Registered', 2, {}, 'version 2 of'],
    ['a version before the first', 'Named', 0, { fullName: 'Ann' }, 'version 0 of'],
    ['a missing field', 'Moved', 1, {}, 'to: '],
    ['a field of another type', 'Named', 3, { fullName: 7 }, 'fullName: '],
    ['an odd field that may be missing', 'Named', 3, { fullName: 'A', note: null }, 'note: '],
    ['a missing field in a past version', 'Named', 1, { first: 'Ann' }, 'last: '],
    ['no fields at all', 'Moved', 1, 'to', 'Invalid input'],
    ['nothing', 'Moved', 1, undefined, 'Invalid input'],
    ['upcasters that do not end', 'Turning', 1, {}, 'its upcasters do not end'],
  ])('say why they do not read %s', (_, type, version, data, reason) => {
    expect(judge(type, version, data)).toEqual({
      notUnderstood: expect.stringContaining(reason) as string,
    });
  });

  it('are listed with their versions', () => {
    expect([...types.names].sort()).toEqual([
      'Moved@1',
      'Named@1',
      'Named@2',
      'Named@3',
      'Registered@1',
      'Turning@1',
    ]);
  });

  it('are no types without their fields', () => {
    // @ts-expect-error -- `Moved` has no line
    const one: EventFields<Today> = { Named: fields.Named };
    // @ts-expect-error -- `note` has no shape
    const other: EventFields<Today> = { ...fields, Named: { fullName: z.string() } };
    expect([one, other]).toHaveLength(2);
  });
});
