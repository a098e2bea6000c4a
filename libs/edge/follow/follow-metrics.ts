import { counter, gauge } from '@app/platform';
import type { FollowState } from './follow-state.js';

export const failedRounds = counter({
  name: 'millrace_follow_failures_total',
  help: 'Rounds in which the followed organization could not be read, or not all of it',
});

export const fetchedRows = counter({
  name: 'millrace_follow_fetched_rows_total',
  help: 'Rows fetched from the followed organization',
});

/** Registers the metrics of following. It is called once. */
export function measureFollowing(state: () => FollowState): void {
  gauge({
    name: 'millrace_follow_age_seconds',
    help: 'Seconds since all streams were as the followed organization had them; absent: not since the start',
    collect: (age) => {
      const { ageSeconds } = state();
      if (ageSeconds === undefined) age.reset();
      else age.set(ageSeconds);
    },
  });
  gauge({
    name: 'millrace_follow_streams',
    help: 'Streams of the followed organization that are served',
    collect: (streams) => streams.set(state().streams),
  });
}
