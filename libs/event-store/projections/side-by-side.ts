import { KeyedMutex } from '@app/flow';
import type { RecordedEvent } from '../event.js';
import { applyUntilDone, type Runner } from './apply-event.js';
import { EventsUnderWay, type UnderWay } from './events-under-way.js';
import type { Lanes } from './projection.js';

/** Projections that are neighbours, and have the same lanes. */
interface Stage {
  readonly lanes: Lanes;
  readonly runners: Runner[];
  /** Its projections write in groups, for which no command waits. */
  isBehind: boolean;
  readonly turns: KeyedMutex;
}

interface Told {
  /** Commands may go on that have waited for the event. */
  shown(this: void, event: RecordedEvent): void;
  /** Projections that write in groups have the event in these lanes. It comes in the lanes' order. */
  given(this: void, event: RecordedEvent, lanes: readonly string[]): void;
  failed(this: void, error: unknown, runner: Runner, at: UnderWay): void;
}

/**
 * Applies events lane by lane. Each stage has its own turns: an event enters it when it has left the
 * stage before, after the events that came before it in its lanes of this stage.
 */
export class SideBySide {
  readonly underWay = new EventsUnderWay();
  private readonly stages: Stage[] = [];
  private readonly running = new Set<Promise<void>>();

  constructor(
    runners: readonly Runner[],
    private readonly signal: AbortSignal,
    private readonly told: Told,
  ) {
    for (const runner of runners) this.add(runner);
  }

  /** @param before position of the event before. @returns false where it has nothing to do with it */
  send(event: RecordedEvent, before: bigint): boolean {
    const concerned = this.stages.flatMap((stage) => {
      const lanes = stage.lanes(event);
      return lanes.length > 0 ? [{ stage, lanes }] : [];
    });
    if (concerned.length === 0) return false;
    const lanesOf = (isBehind: boolean): readonly string[] =>
      concerned.flatMap(({ stage, lanes }) => (stage.isBehind === isBehind ? lanes : []));
    const lanes = { lanes: lanesOf(false), lanesBehind: lanesOf(true) };
    const entry = this.underWay.begin({ event, before, ...lanes });
    let whole = Promise.resolve(true);
    let shown = whole;
    for (const { stage, lanes } of concerned) {
      const earlier = whole;
      const goesAhead = stage.runners.every(({ projection }) => projection.goesAhead?.(event));
      const applied = stage.turns.run(lanes, async () => {
        const isApplied = (goesAhead || (await earlier)) && (await this.apply(stage, entry));
        // It is written at once, also where it goes ahead: nothing else may come to be written with it.
        if (isApplied && stage.isBehind) this.told.given(event, lanes);
        return isApplied;
      });
      whole = goesAhead ? both(earlier, applied) : applied;
      if (!stage.isBehind) shown = whole;
    }
    const running = this.follow(entry, shown, whole).finally(() => this.running.delete(running));
    this.running.add(running);
    return true;
  }

  /** Resolves when nothing is applied any more, after the signal. */
  async ended(): Promise<void> {
    this.underWay.changed();
    await Promise.all(this.running);
  }

  private add(runner: Runner): void {
    // All events in order is one lane.
    const { projection } = runner;
    const lanes = projection.lanes ?? inOrder;
    const last = this.stages.at(-1);
    const isSame = last?.lanes === lanes;
    const stage = isSame ? last : { lanes, runners: [], isBehind: false, turns: new KeyedMutex() };
    if (!isSame) this.stages.push(stage);
    stage.runners.push(runner);
    stage.isBehind ||= projection.writeGroup !== undefined;
  }

  private async follow(
    entry: UnderWay,
    shown: Promise<boolean>,
    whole: Promise<boolean>,
  ): Promise<void> {
    if (await shown) {
      this.underWay.shown(entry);
      this.told.shown(entry.event);
    }
    // A stage that went ahead may still be at work where the event does not come to be shown.
    if (await whole) this.underWay.end(entry);
  }

  /** @returns false where it ends before all of its projections have the event */
  private async apply({ runners }: Stage, entry: UnderWay): Promise<boolean> {
    const { signal } = this;
    for (const runner of runners) {
      let hasFailed = false;
      const failed = (error: unknown): void => {
        hasFailed = true;
        this.underWay.failed(entry, error);
        this.told.failed(error, runner, entry);
      };
      // Each event has its own steps.
      const own = { ...runner, steps: 0 };
      if (!(await applyUntilDone(own, entry.event, { signal, failed }))) return false;
      // Another stage may have it at the same time, and fail.
      if (hasFailed) this.underWay.recovered(entry);
    }
    return true;
  }
}

const both = async (one: Promise<boolean>, other: Promise<boolean>): Promise<boolean> =>
  (await Promise.all([one, other])).every(Boolean);

const inOrder: Lanes = () => [''];
