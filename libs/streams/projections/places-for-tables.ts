import { PassingPlaces } from '@app/flow';

/** The databases of all organizations. The app hands it in. */
export interface OrganizationDatabases {
  databases(): readonly string[];
  /** The organizations of one account have one share. A database that is not known has its own. */
  shareOf(database: string): string;
}

/**
 * This many organizations' tables begin to be worked on at the same time, since the engine has other
 * work, too. The engine may take minutes for an index of a large table, so such work passes its
 * place on: an organization whose change takes a moment does not wait for those of others. Each
 * statement has a connection of its own meanwhile, and a connection to the engine has 64. An account
 * with many organizations has half of the places, so that it cannot keep all others waiting.
 */
export const placesForTables = (): PassingPlaces =>
  new PassingPlaces({
    beginning: 8,
    lasting: 20,
    passAfterMs: 500,
    each: { beginning: 4, lasting: 10 },
  });
