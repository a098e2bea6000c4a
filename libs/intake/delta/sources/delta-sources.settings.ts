import { z } from 'zod';
import { OperatorError } from '@app/platform';
import type { S3Access } from '@app/object-store';

/** The places that Delta tables may be taken from, besides uploads. */
export interface DeltaSources {
  /**
   * `file:///<folder>` or `s3://<bucket>/<prefix>`; `{org}` stands for the organization that
   * uploads, a location without it is open to all.
   */
  readonly locations: readonly string[];
  /** The access to S3; undefined when no location is there. */
  readonly s3: S3Access | undefined;
}

const LOCATION = /^(?:file:\/\/\/[^/]|s3:\/\/[a-z0-9{][a-z0-9.{}-]*(?:\/|$))/;

/** The places, with commas between them; none: no place is allowed. */
const places = z
  .string()
  .prefault('')
  .transform((text) =>
    text
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== ''),
  )
  .refine(
    (all) => all.every((each) => LOCATION.test(each) && !/(?:^|\/)\.\.?(?:\/|$)/.test(each)),
    {
      error: 'want file:///<folder> or s3://<bucket>/<folder>, with commas between them',
    },
  );

/** Stands for the name of the organization that uploads. */
export const ORGANIZATION_PLACE = '{org}';

const ofOneOrganization = places.refine(
  (all) => all.every((each) => each.includes(ORGANIZATION_PLACE)),
  {
    error:
      'a location without {org} would be open to every organization: put {org} where the organization’s name stands, or name a location that is meant for all of them in MILLRACE_DELTA_SHARED_LOCATIONS',
  },
);
const ofAll = places.refine((all) => !all.some((each) => each.includes(ORGANIZATION_PLACE)), {
  error: 'a location with {org} is one organization’s: name it in MILLRACE_DELTA_LOCATIONS',
});

export const deltaVariables = {
  MILLRACE_DELTA_LOCATIONS: ofOneOrganization,
  MILLRACE_DELTA_SHARED_LOCATIONS: ofAll,
};

interface DeltaVariables {
  readonly MILLRACE_DELTA_LOCATIONS: readonly string[];
  readonly MILLRACE_DELTA_SHARED_LOCATIONS: readonly string[];
}

/** @throws when a location is in S3 and there are no keys to it. */
export function deltaSources(variables: DeltaVariables, s3: S3Access | undefined): DeltaSources {
  const locations = [
    ...variables.MILLRACE_DELTA_LOCATIONS,
    ...variables.MILLRACE_DELTA_SHARED_LOCATIONS,
  ];
  if (!locations.some((location) => location.startsWith('s3:')))
    return { locations, s3: undefined };
  if (!s3)
    throw new OperatorError(
      'configuration: MILLRACE_DELTA_LOCATIONS or MILLRACE_DELTA_SHARED_LOCATIONS has a place in S3; it needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    );
  return { locations, s3 };
}
