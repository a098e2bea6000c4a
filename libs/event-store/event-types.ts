import { z } from 'zod';
import type { DomainEvent } from './commands/decider.js';

/**
 * The fields of every event that is written today, by its type. An event type that has no line here
 * does not compile. What a field may be left out of is `exactOptional`.
 */
export type EventFields<Event extends DomainEvent> = {
  readonly [Type in Event['type']]: {
    readonly [Field in keyof DataOf<Event, Type>]-?: z.ZodType<DataOf<Event, Type>[Field]>;
  };
};

type DataOf<Event extends DomainEvent, Type> = Extract<Event, { readonly type: Type }>['data'];

/** An event with the version of its type's fields. */
interface EventForm extends DomainEvent {
  readonly version: number;
}

/** A version of a type that is not written any more. */
export interface PastVersion {
  readonly data: z.ZodType;
  /** The same fact in later words: one event or several, of any type, or none. */
  readonly upcast: (data: unknown) => readonly EventForm[];
}

/** @param upcast gets only data that fits the fields */
export function past<Fields extends z.ZodRawShape>(
  fields: Fields,
  upcast: (data: z.infer<z.ZodObject<Fields>>) => readonly EventForm[],
): PastVersion {
  const data = z.object(fields);
  return { data, upcast: (stored) => upcast(data.parse(stored)) };
}

export type Judged =
  { readonly events: readonly DomainEvent[] } | { readonly notUnderstood: string };

interface Known {
  /** Today's shape, one more than the past ones. Undefined: nobody writes this type any more. */
  readonly data: z.ZodType | undefined;
  readonly past: readonly PastVersion[];
}

/** No real chain is as long, so this catches a chain that does not end. */
const STEPS_MAX = 100;

/**
 * All types of events that this program understands, with the fields of each version. It is the one
 * place where the shape of a stored event is judged.
 */
export class EventTypes {
  private readonly known = new Map<string, Known>();

  /**
   * @param fields the fields of the versions that are written today
   * @param before the earlier versions of each type, version 1 first
   */
  constructor(
    fields: Readonly<Record<string, z.ZodRawShape>>,
    before: Readonly<Record<string, readonly PastVersion[]>> = {},
  ) {
    for (const [type, past] of Object.entries(before))
      this.known.set(type, { data: undefined, past });
    for (const [type, each] of Object.entries(fields))
      this.known.set(type, { data: z.object(each), past: this.known.get(type)?.past ?? [] });
  }

  /** The `<type>@<version>` of all events that this program understands. */
  get names(): readonly string[] {
    return [...this.known].flatMap(([type, { data, past }]) => {
      const versions = past.length + (data ? 1 : 0);
      return Array.from({ length: versions }, (_, index) => `${type}@${index + 1}`);
    });
  }

  /**
   * Gives the version in which a type is written today. It is undefined for a type that is not
   * written any more.
   */
  versionOf(type: string): number | undefined {
    const known = this.known.get(type);
    return known?.data && known.past.length + 1;
  }

  /** Reads a stored event in the words of today, or says why that cannot be done. */
  judge(form: EventForm): Judged {
    try {
      return { events: this.upcast(form, STEPS_MAX) };
    } catch (error) {
      return { notUnderstood: error instanceof Error ? error.message : String(error) };
    }
  }

  private upcast({ type, version, data }: EventForm, steps: number): readonly DomainEvent[] {
    const known = this.known.get(type);
    if (!known) throw new Error('this type of event is not known');
    const earlier = known.past[version - 1];
    if (earlier) {
      if (steps === 0) throw new Error('its upcasters do not end');
      check(earlier.data, data);
      return earlier.upcast(data).flatMap((form) => this.upcast(form, steps - 1));
    }
    if (!known.data || version !== known.past.length + 1)
      throw new Error(`version ${version} of this type of event is not known`);
    check(known.data, data);
    return [{ type, data }];
  }
}

function check(shape: z.ZodType, data: unknown): void {
  const [issue] = shape.safeParse(data).error?.issues ?? [];
  if (!issue) return;
  const path = issue.path.join('.');
  throw new Error(path === '' ? issue.message : `${path}: ${issue.message}`);
}
