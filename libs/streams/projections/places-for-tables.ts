import { PassingPlaces } from '@app/flow';

/**
 * This many organizations' tables begin to be worked on at the same time, since the engine has other
 * work, too. The engine may take minutes for an index of a large table, so such work passes its
 * place on: an organization whose change takes a moment does not wait for those of others. Each
 * statement has a connection of its own meanwhile, and a connection to the engine has 64.
 */
export const placesForTables = (): PassingPlaces =>
  new PassingPlaces({ beginning: 8, lasting: 20, passAfterMs: 500 });
