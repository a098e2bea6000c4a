import { sizeOf } from '../frame/size-text.js';
import { timeText } from '../time/time-text.js';
import type { Sample } from './metrics-text.js';

/** A fact says something about the server, in words. */
export interface Fact {
  readonly name: string;
  readonly value: string;
  /** It says what is wrong, and is undefined where all is well. */
  readonly trouble: string | undefined;
}

const LITTLE_ROOM = 0.1;

/** Picks, from all metrics of a process, those that say whether it does its work. */
export function factsOf(samples: readonly Sample[]): readonly Fact[] {
  const one = (name: string): number | undefined =>
    samples.find((sample) => sample.name === name)?.value;
  const fact = (
    name: string,
    metric: string,
    words: (value: number) => string,
    trouble: (value: number) => string | undefined | false = () => undefined,
  ): Fact[] => {
    const value = one(metric);
    return value === undefined
      ? []
      : [{ name, value: words(value), trouble: trouble(value) || undefined }];
  };
  const count = (value: number): string => value.toLocaleString();
  return [
    ...fact('Batches waiting to be written', 'millrace_queue_batches', count),
    ...fact('Their size', 'millrace_queue_bytes', sizeOf),
    ...behind(samples),
    ...fact('Events that read models lack', 'millrace_projection_lag', count),
    ...fact(
      'Read models',
      'millrace_projection_failing',
      (value) => (value > 0 ? 'one fails' : 'follow'),
      (value) => value > 0 && 'Changes are answered 503. The log says which one, and why.',
    ),
    ...fact('Events not understood', 'millrace_events_not_understood', count, (value) =>
      value > 0 ? 'A newer version has written them: changes of what they are about get 503.' : '',
    ),
    ...fact(
      'The event store',
      'millrace_event_store_away_since_seconds',
      (value) => (value > 0 ? `away since ${timeText(value * 1e6)} UTC` : 'answers'),
      (value) => value > 0 && 'Changes get 503; queries and uploads to streams that exist go on.',
    ),
    ...fact('Dead letters', 'millrace_dead_letter_batches', count, (value) =>
      value > 0 ? 'Batches that no table took: millrace dead-letter --replay puts them back.' : '',
    ),
    ...fact('Tables waited for', 'millrace_tables_waited_for', count, (value) =>
      value > 0 ? 'They are missing, or lack a column: the log says which, and why.' : '',
    ),
    ...fact('Damaged parts', 'millrace_damaged_parts', count, (value) =>
      value > 0 ? 'Their rows are in no answer: docs/operations.md says what can be done.' : '',
    ),
    ...fact('Tables set aside', 'millrace_damaged_tables', count, (value) =>
      value > 0 ? 'The engine cannot load them: the log says which, and what can be done.' : '',
    ),
    ...fact('Missing rows', 'millrace_missing_rows', count, (value) =>
      value > 0 ? 'Tables had them before the last start.' : '',
    ),
    ...fact(
      'Free on the fullest disk',
      'millrace_warehouse_disk_free_ratio',
      (value) => `${Math.floor(value * 100)} %`,
      (value) => value < LITTLE_ROOM && 'Uploads of who keeps the most are refused.',
    ),
    ...fact('Organizations that are full', 'millrace_organizations_storage_full', count),
    ...fact('Carries events out', 'millrace_lead', (value) => (value > 0 ? 'yes' : 'another does')),
    ...fact('The certificate', 'millrace_tls_certificate_expires_seconds', (value) =>
      value > 0 ? `ends on ${timeText(value * 1e6)} UTC` : 'none: plain HTTP',
    ),
    ...fact('Memory', 'process_resident_memory_bytes', sizeOf),
    ...fact('Started', 'process_start_time_seconds', (value) => `${timeText(value * 1e6)} UTC`),
  ];
}

/** A single partition shows nothing that the sum does not show. */
function behind(samples: readonly Sample[]): Fact[] {
  const lags = samples.filter(({ name }) => name === 'millrace_queue_lag');
  if (lags.length < 2) return [];
  return lags.map(({ labels, value }) => ({
    name: `Batches waiting in partition ${labels.get('partition') ?? ''}`,
    value: value.toLocaleString(),
    trouble: undefined,
  }));
}
