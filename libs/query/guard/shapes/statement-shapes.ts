import { certain, MillraceError, type RequestOrganization } from '@app/platform';
import type { TableDescription } from '../../catalog.js';
import { mayHaveWallTimes } from '../../plan/wall-times.js';
import { VERDICT_TEXT_MAX, VERDICTS_MAX } from '../limits.js';
import { Refusal } from '../refused.js';
import { Verdicts } from '../verdicts.js';
import { comparedLiterals, type ComparedLiteral } from './compared-literals.js';
import { Markers, type Marker } from './markers.js';
import { Template } from './template.js';

/** A statement with markers in the places of its values. */
interface StatementShape {
  /** A text that is equal for all statements that differ only in these values. */
  readonly probe: string;
  readonly markers: readonly Marker[];
  /** The literals that the markers replace, in the same order. */
  readonly values: readonly ComparedLiteral[];
}

interface Judged {
  readonly statement: string;
  readonly alike: string;
  readonly wallTimes: boolean;
  readonly tables: readonly TableDescription[];
}

type Judge<Admitted> = (text: string) => Promise<Admitted>;

const MOST = { verdicts: VERDICTS_MAX, characters: VERDICT_TEXT_MAX };

/**
 * Statements that differ in values that they compare with are judged once: not one of them, but a
 * probe that has values of ours there. The values of each take their places in the statement that
 * was admitted, if each of ours is in it exactly once, as a whole literal, behind a comparison: in
 * the engine's own print, so it does not matter how we have read the text.
 *
 * The first statement of a shape is judged as it is, and so is every one that is refused: a probe
 * costs as much as a statement, and pays only where another one of its shape was admitted.
 */
export class StatementShapes {
  /** The state of each shape: a statement of it was admitted, or a probe of it is useless. */
  private readonly known = new Verdicts<'admitted' | 'unfit'>();
  private readonly templates = new Verdicts<Template>(MOST, ({ length }) => length);

  /**
   * @param judge judges a text without a shape.
   * @throws the errors of `judge`
   */
  async admit<Admitted extends Judged>(
    text: string,
    organization: RequestOrganization,
    judge: Judge<Admitted>,
  ): Promise<Admitted> {
    const shape = shapeOf(text);
    if (!shape) return judge(text);
    const key = keyOf(shape, organization);
    const known = this.known.get(key);
    const filled = known === 'admitted' ? await this.byProbe(shape, key, judge) : undefined;
    if (filled) return filled;
    const admitted = await judge(text);
    this.known.set(key, known === undefined ? 'admitted' : 'unfit');
    return admitted;
  }

  /**
   * @returns undefined if the statement must be judged without a shape, so that the error is about
   *   the statement.
   * @throws errors that are no verdict, and that the statement itself would get too.
   */
  private async byProbe<Admitted extends Judged>(
    shape: StatementShape,
    key: string,
    judge: Judge<Admitted>,
  ): Promise<Admitted | undefined> {
    try {
      const probe = await judge(shape.probe);
      const statement = this.fill(shape, probe.statement);
      if (statement !== undefined) {
        const alike = isOneQuery(statement) ? probe.alike : statement;
        return { ...probe, statement, alike, wallTimes: mayHaveWallTimes(statement, probe.tables) };
      }
    } catch (error) {
      if (!isVerdict(error)) throw error;
      if (!(error instanceof Refusal)) return undefined;
    }
    this.known.set(key, 'unfit');
    return undefined;
  }

  private fill({ probe, markers, values }: StatementShape, admitted: string): string | undefined {
    const key = `${probe}\0${admitted}`;
    const template = this.templates.get(key) ?? Template.of(admitted, markers);
    if (!template) return undefined;
    this.templates.set(key, template);
    return template.fill(values);
  }
}

/**
 * Tells whether a statement has no query within. The engine knows the value of one before it knows
 * the types of columns, which may depend on it: `toDateTime64(x, (SELECT count() FROM t WHERE id < 3))`.
 */
const isOneQuery = (statement: string): boolean => statement.match(/SELECT/gi)?.length === 1;

const VERDICTS = new Set([
  'STATEMENT_REFUSED',
  'INVALID_SQL',
  'UNKNOWN_COLUMN',
  'STREAM_NOT_FOUND',
]);

/**
 * Tells whether an error is about the text, and not about the moment: time, memory, turns, zones in
 * use.
 */
function isVerdict(error: unknown): boolean {
  if (error instanceof Refusal) return error.rule !== 'time_zone';
  return error instanceof MillraceError && VERDICTS.has(error.kind);
}

/**
 * The key contains the caller's tables, because the translation of a statement depends on their
 * columns.
 */
function keyOf({ probe }: StatementShape, organization: RequestOrganization): string {
  const { id, administered = false, streams } = organization;
  return JSON.stringify([id, administered, streams ? [...streams].sort() : 'all', probe]);
}

function shapeOf(text: string): StatementShape | undefined {
  const values = comparedLiterals(text);
  if (!values) return undefined;
  const pieces = [...values, undefined].map((value, at) =>
    text.slice(values[at - 1]?.end ?? 0, value?.start),
  );
  const next = new Markers(pieces.join('\n'));
  const markers: Marker[] = [];
  for (const { kind } of values) {
    const marker = next.of(kind);
    if (!marker) return undefined;
    markers.push(marker);
  }
  const last = certain(pieces.pop(), 'text behind the last value');
  const probe = pieces.map((piece, at) => piece + certain(markers[at], 'marker').literal).join('');
  return { probe: probe + last, markers, values };
}
