import { isUtf8 } from 'node:buffer';
import type { ChunkMemory } from '../chunk/chunk-memory.js';
import { CsvFields, INNER_BREAK, QUOTED, SPECIAL, withLineBreaks } from './csv-fields.js';
import type { CsvShape } from '../chunk/csv-shape.js';
import { CsvObjects } from './csv-objects.js';
import { timeOfField } from './csv-times.js';
import { isInNanos, kindsOfNew } from './csv-kinds.js';
import { AS_ANY, AS_JSON, AS_NUMBER, AS_TEXT, AS_TYPED, CsvValues } from './csv-values.js';
import { knownTargets, whyUnfit, wordsFor, type Field, type Target } from './csv-targets.js';
import { FieldSurvey } from '../columns/field-survey.js';
import type { JudgeJob, SurveyedKind } from '../chunk/judge-job.js';
import { BOOL, DAY, NEGATIVE, NONE, ODDLY_WRITTEN, OWN, TEXT } from '../values/kinds.js';
import { writtenPlainly } from '../values/number-text.js';
import { ALTERNATIVE_TIMESTAMP, REASON, TIMESTAMP } from '../refusals/reasons.js';
import { PathSurvey } from '../json/path-survey.js';
import { RefusedRecords } from '../refusals/refused-records.js';
import { RowWriter } from './row-writer.js';
import { TIME_ROOM, writeTime } from '../values/write-time.js';

const [NEWLINE, RETURN, COMMA] = [0x0a, 0x0d, 0x2c];
const ROW_BEGIN = Buffer.from(`[${' '.repeat(TIME_ROOM)}`);
const ROW_END = Buffer.from(']\n');

/**
 * Judges records of CSV, one a line, against the columns of a stream, and counts what their fields
 * hold. A record that fits is written as an array: its time in microseconds, then the values of the
 * columns that the header names, in the order of the columns.
 */
export class CsvJudge {
  accepted = 0;
  readonly refused = new RefusedRecords();
  /** Tells whether a field has a value for which its stream might change its columns. */
  isNew = false;
  private readonly survey = new FieldSurvey();
  private readonly paths: PathSurvey;
  private readonly fields: CsvFields;
  private readonly values: CsvValues;
  private readonly objects: CsvObjects;
  private readonly writer: RowWriter;
  /** Fields with a column, and those without one. */
  private readonly known: readonly Target[];
  private readonly open: readonly Field[];
  /** Fields without a column whose times may not fit into nanoseconds. */
  private readonly beyondNanos = new Set<number>();
  /** Fields without a column that have an integer below zero. */
  private readonly negative = new Set<number>();
  private readonly time: number;
  private readonly alternative: number;
  private readonly isAllUtf8: boolean;
  /** The reason why the current record is refused. */
  private reason: string | undefined;

  /** @param bytes the lines; the last one must end with a line break */
  constructor(
    private readonly bytes: Buffer,
    private readonly job: JudgeJob,
    private readonly shape: CsvShape,
    memory: ChunkMemory,
  ) {
    const { columns, delimiter } = shape;
    this.known = knownTargets(job, shape);
    const names = new Set(this.known.map(({ name }) => name));
    this.open = columns.flatMap((name, field) =>
      names.has(name) || name === TIMESTAMP ? [] : [{ field, name }],
    );
    this.time = columns.indexOf(TIMESTAMP);
    this.alternative = columns.indexOf(ALTERNATIVE_TIMESTAMP);
    this.fields = new CsvFields(bytes, delimiter.charCodeAt(0), columns.length);
    this.values = new CsvValues(bytes);
    this.paths = new PathSurvey(job.objects, (name) => columns.indexOf(name)); // prettier-ignore
    const readings = new Map(this.known.map(({ field, reading }) => [field, reading]));
    this.objects = new CsvObjects(bytes, this.fields, this.values, shape, readings);
    this.writer = new RowWriter(memory);
    this.isAllUtf8 = isUtf8(bytes);
  }

  /** @returns the rows of the records that fit; they are useless if something is new */
  judge(): readonly Buffer[] {
    const { bytes, fields, job } = this;
    let line = job.firstLine;
    for (let at = 0; at < bytes.length; at = fields.end + 1) {
      const isRecord = fields.read(at);
      if (isBlank(bytes, at)) continue;
      const reason = isRecord ? this.verdict(at) : REASON.noCsv;
      if (reason !== undefined) {
        const { from, to } = this.objects.keep(at);
        this.refused.add(line, reason, from, to);
      }
      line += 1;
    }
    return this.writer.end();
  }

  /** Gives the refused records as JSON; `refused` tells their places. */
  refusedBytes(): Buffer {
    return this.objects.all();
  }

  /**
   * Field, kind and number of values, with the fields in the order of the header. A field without a
   * column gets the kind of all its values, or text if they are of several kinds.
   */
  surveyed(): SurveyedKind[] {
    const { survey, known, open, beyondNanos, negative } = this;
    const kindsOf = ({ field, name }: Field, own?: string): SurveyedKind[] =>
      survey.of(field, own).map((counts) => ({ field: name, ...counts }));
    const kinds = [
      ...known.map((each) => ({ field: each.field, kinds: kindsOf(each, each.rules.typed?.kind) })),
      ...open.map((each) => ({
        field: each.field,
        kinds: kindsOfNew(each.name, kindsOf(each), {
          isAllInNanos: !beyondNanos.has(each.field),
          hasNegative: negative.has(each.field),
        }),
      })),
    ];
    const within = this.paths.surveyed((field) => this.shape.columns[field]);
    return [...kinds.sort((a, b) => a.field - b.field).flatMap((each) => each.kinds), ...within];
  }

  /** Writes the current record, or says why it is refused. */
  private verdict(at: number): string | undefined {
    const { bytes, fields, shape, writer, known } = this;
    const { end } = fields;
    if (!this.isAllUtf8 && !isRecordUtf8(bytes.subarray(at, end))) return REASON.notUtf8;
    if (fields.count > shape.columns.length)
      return REASON.beyondHeader(fields.written, shape.columns.length);
    this.reason = undefined;
    for (const field of this.open) this.openField(field);
    writer.beginRow();
    writer.copy(ROW_BEGIN);
    for (let index = 0; index < known.length; index += 1) {
      const target = known[index];
      if (!target) break;
      writer.byte(COMMA);
      this.knownField(target);
    }
    writer.copy(ROW_END);
    const reason = this.isNew ? undefined : (this.reason ?? this.timed());
    if (this.isNew || reason !== undefined) writer.takeRowBack();
    else this.accepted += 1;
    return reason;
  }

  private isThere(field: number): boolean {
    const { fields } = this;
    return field < fields.count && (fields.to[field] ?? 0) > (fields.from[field] ?? 0);
  }

  /** Reads a field without a column. Its kind must be found, and a column created for it, first. */
  private openField({ field, name }: Field): void {
    if (!this.isThere(field)) {
      this.survey.count({ field, kind: NONE, marks: 0 });
      return;
    }
    const { bytes, fields, values, job } = this;
    const from = fields.from[field] ?? 0;
    const kind = values.kindOfNew(from, fields.to[field] ?? 0);
    if (kind >= DAY && !isInNanos(bytes, from)) this.beyondNanos.add(field);
    if ((values.marks & NEGATIVE) !== 0) this.negative.add(field);
    this.survey.count({ field, kind, marks: values.marks });
    if (job.refusedFields === undefined) this.isNew = true;
    else this.refuse(name, REASON.noColumn(wordsFor(kind), job.refusedFields.get(name)));
  }

  private knownField(target: Target): void {
    const { bytes, fields, writer } = this;
    const { field, reading } = target;
    const from = fields.from[field] ?? 0;
    const to = fields.to[field] ?? 0;
    const flags = fields.flags[field] ?? 0;
    const isQuoted = (flags & QUOTED) !== 0;
    if (reading === AS_TEXT && field < fields.count && (isQuoted || to > from)) {
      writer.text(bytes, from, to, (flags & SPECIAL) !== 0, isQuoted);
    } else if (!this.isThere(field)) {
      writer.ascii('null');
    } else if (reading === AS_JSON) {
      this.jsonField(target, from, to, isQuoted);
    } else if (reading === AS_TYPED) {
      this.typedField(target, from, to, (flags & SPECIAL) !== 0);
    } else {
      const { values } = this;
      const kind = values.kindOf(from, to, reading);
      if (!this.takes(target, kind, values.marks)) this.refuseValue(target, kind);
      else if (kind === BOOL) writer.ascii(values.isTrue(from, to) ? 'true' : 'false');
      else if (values.marks === 0) writer.copy(values.source, values.from, values.to);
      else this.writeJson(values.source.subarray(values.from, values.to), values.marks, target);
    }
  }

  private typedField(target: Target, from: number, to: number, isSpecial: boolean): void {
    const { bytes, values } = this;
    const { typed } = target.rules;
    const isText = typed?.isOfNumbersAlone !== true || values.kindOf(from, to, AS_NUMBER) === TEXT;
    // No value of this type has characters that JSON writes differently.
    const field = isText
      ? typed?.field(bytes, from, to, true)
      : typed?.field(values.source, values.from, values.to, false);
    const written = isSpecial ? undefined : (field ?? this.rewrittenDecimal(target, from, to));
    if (written !== undefined) this.writeOwn(target, written);
    else this.refuseTyped(target, values.kindOf(from, to, AS_ANY), values.marks);
  }

  /** Reads a decimal that JSON writes otherwise, such as `.99`. */
  private rewrittenDecimal({ rules }: Target, from: number, to: number): string | undefined {
    const { values } = this;
    const isDecimal = rules.typed?.isOfDecimals === true;
    if (!isDecimal || values.kindOf(from, to, AS_NUMBER) === TEXT) return undefined;
    return rules.typed?.field(values.source, values.from, values.to, false);
  }

  private jsonField(target: Target, from: number, to: number, isQuoted: boolean): void {
    const { paths } = this;
    const json = this.values.json(from, to, isQuoted, [paths, paths.topOf(target.field)]);
    const { name, rules } = target;
    if (json?.fault) this.refuse(name, REASON.within(json.fault));
    else if (json && rules.typed && json.kind !== NONE) {
      const { bytes, kind, marks } = json;
      const written = rules.typed.json(bytes, kind, 0, bytes.length);
      if (written === undefined) this.refuseTyped(target, kind, marks);
      else this.writeOwn(target, written || bytes.toString('latin1'));
    } else if (json && this.takes(target, json.kind, json.marks)) {
      const { bytes, kind, marks } = json;
      // The text is kept as it was written, with its line breaks.
      if (rules.quotes(kind)) this.writer.text(this.bytes, from, to, true, isQuoted);
      else this.writeJson(bytes, marks, target);
    } else this.refuse(name, whyUnfit(target, json?.kind ?? TEXT, json?.marks ?? 0));
  }

  /** Reads a value of a column whose values are each looked at. */
  private writeOwn({ field }: Target, written: string): void {
    this.survey.count({ field, kind: OWN, marks: 0 });
    this.writer.ascii(written);
  }

  private refuseTyped(target: Target, kind: number, marks: number): void {
    const { field, name, rules } = target;
    if (rules.mightChangeFor(kind, marks)) {
      this.survey.count({ field, kind, marks });
      if (this.job.refusedFields === undefined) this.isNew = true;
    }
    this.refuse(name, whyUnfit(target, kind, marks));
  }

  /**
   * Writes a number or a nested value as it came. An integer in an unusual notation is written
   * plainly.
   */
  private writeJson(json: Buffer, marks: number, { rules }: Target): void {
    if ((marks & ODDLY_WRITTEN) !== 0 && rules.isOfIntegers)
      this.writer.ascii(writtenPlainly(json.toString('latin1')));
    else this.writer.copy(json);
  }

  /** Counts a value. @returns whether it can be stored */
  private takes({ field, rules, fits }: Target, kind: number, marks: number): boolean {
    this.survey.count({ field, kind, marks });
    if (marks === 0 && ((fits >> kind) & 1) === 1) return true;
    const mayChange = this.job.refusedFields === undefined;
    if (mayChange && rules.mightChangeFor(kind, marks)) this.isNew = true;
    return rules.takes(kind, marks);
  }

  private refuseValue(target: Target, kind: number): void {
    const { isBeyond, marks } = this.values;
    this.refuse(target.name, isBeyond ? REASON.numberBeyond : whyUnfit(target, kind, marks));
  }

  private refuse(name: string, why: string): void {
    this.reason ??= REASON.ofField(name, why);
  }

  /** Says why not, if the record has no time that can be kept. */
  private timed(): string | undefined {
    const { bytes, fields, job, writer } = this;
    const own = timeOfField(bytes, fields, this.time);
    if (own === 'no time') return REASON.noTime(TIMESTAMP);
    const told = own ?? timeOfField(bytes, fields, this.alternative);
    if (told === 'no time') return REASON.noTime(ALTERNATIVE_TIMESTAMP);
    if (job.keptFrom !== undefined && (told ?? job.acceptedAt) < job.keptFrom)
      return REASON.notKept;
    const { block, from } = writer.place;
    writeTime(block, from + 1, told);
    return undefined;
  }
}

/** Framed records are on lines that are not blank; behind the last one there may be nothing. */
const isBlank = (bytes: Buffer, at: number): boolean =>
  bytes[at] === NEWLINE || (bytes[at] === RETURN && bytes[at + 1] === NEWLINE);

const isRecordUtf8 = (record: Buffer): boolean =>
  isUtf8(record.includes(INNER_BREAK) ? withLineBreaks(record, 0, record.length) : record);
