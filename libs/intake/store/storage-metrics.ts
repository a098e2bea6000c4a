import { counter, gauge } from '@app/platform';

const BOUNDS = ['organization', 'disk'] as const;
export type StorageBound = (typeof BOUNDS)[number];

const refused = counter(
  {
    name: 'millrace_storage_refused_total',
    help: 'Uploads refused for what is kept: by the bound of an organization, or as the disk had little room',
    labelNames: ['bound'],
  },
  BOUNDS,
);

export const countRefused = (bound: StorageBound): void => refused.inc({ bound });

/** Registers the metrics. It must be called once. */
export function measureStorage(storage: {
  readonly state: { readonly free: number; readonly full: number };
}): void {
  gauge({
    name: 'millrace_warehouse_disk_free_ratio',
    help: 'Free part of the fullest disk that tables are on, when it was looked at last; below 0.1 who keeps the most gets 429',
    collect: (ratio) => ratio.set(storage.state.free),
  });
  gauge({
    name: 'millrace_organizations_storage_full',
    help: 'Organizations that keep MILLRACE_ORG_STORAGE_BYTES or more, when it was looked at last',
    collect: (count) => count.set(storage.state.full),
  });
}
