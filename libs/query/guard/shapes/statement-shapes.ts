import { certain, type RequestOrganization } from '@app/platform';
import { quoteText } from '@app/warehouse';
import { readTime } from '../../plan/read-time.js';
import { Verdicts } from '../verdicts.js';
import { comparedLiterals, type ComparedLiteral } from './compared-literals.js';
import { Markers, type Marker } from './markers.js';
import { templateOf, type Template } from './template.js';

/** A statement with other values in the places of its own. */
export interface StatementShape {
  /** The same text for all statements that differ in these values only. */
  readonly probe: string;
  readonly markers: readonly Marker[];
  /** In the order of the markers. */
  readonly values: readonly ComparedLiteral[];
}

/**
 * Statements that differ in values that they compare with are judged once: not one of them, but a
 * probe that has values of ours there. The values of each take their places in the statement that
 * was admitted, if each of ours is in it exactly once, as a whole literal, behind a comparison: in
 * the engine's own print, so it does not matter how we have read the text.
 */
export class StatementShapes {
  private readonly shapes = new Verdicts<StatementShape | 'none'>();
  private readonly templates = new Verdicts<Template>();
  /** Probes that are not admitted, or lose their values on the way. */
  private readonly unfit = new Verdicts<true>();

  /** @returns undefined where the statement is to be judged as it is. */
  of(text: string, { id }: RequestOrganization): StatementShape | undefined {
    const known = this.shapes.get(text) ?? shapeOf(text) ?? 'none';
    this.shapes.set(text, known);
    return known === 'none' || this.unfit.get(`${id} ${known.probe}`) ? undefined : known;
  }

  /** The organization's statements of this shape are judged one by one from now on. */
  refuse({ probe }: StatementShape, { id }: RequestOrganization): void {
    this.unfit.set(`${id} ${probe}`, true);
  }

  /**
   * @param admitted the probe in the engine's words.
   * @returns the statement in the engine's words; undefined where it cannot be told.
   */
  fill({ probe, markers, values }: StatementShape, admitted: string): string | undefined {
    const key = `${probe}\0${admitted}`;
    const template = this.templates.get(key) ?? templateOf(admitted, markers);
    if (!template) return undefined;
    this.templates.set(key, template);
    return template
      .map((piece) => {
        if (typeof piece === 'string') return piece;
        const { kind, value } = certain(values[piece.literal], 'value of a statement');
        if (typeof kind === 'number') return value;
        return quoteText(piece.isTime ? certain(readTime(value), 'time of a statement') : value);
      })
      .join('');
  }
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
  const probe = pieces.map((piece, at) => piece + (markers[at]?.literal ?? '')).join('');
  return { probe, markers, values };
}
