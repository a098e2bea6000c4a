import { isUtf8 } from 'node:buffer';
import type { WrittenTimes } from '@app/warehouse';
import { ColumnRules } from '../columns/column-rules.js';
import { FieldSurvey } from '../columns/field-survey.js';
import type { ChunkMemory } from '../chunk/chunk-memory.js';
import type { JudgeJob, SurveyedKind } from '../chunk/judge-job.js';
import { FaultFound } from '../json/fault.js';
import { INT, isSilent, KINDS, nameOfKind, NONE, ODDLY_WRITTEN, OWN } from '../values/kinds.js';
import { HALF, LineWriter, type Patch } from './line-writer.js';
import { PathSurvey } from '../json/path-survey.js';
import { plainInteger } from './plain-integer.js';
import { quoted } from '../json/text-escape.js';
import { ALTERNATIVE_TIMESTAMP, kindInWords, REASON, TIMESTAMP } from '../refusals/reasons.js';
import { RecordReader, type Member } from '../json/record-reader.js';
import { timeOf } from './record-time.js';
import { RefusedRecords } from '../refusals/refused-records.js';
import { isToldByMagnitude, textOfMicros, type Micros } from '../values/time-text.js';
import type { TypedColumn } from '../columns/typed-column.js';
import { AS_IT_STANDS } from '../values/value-reader.js';

const NEWLINE = 0x0a;
/** The first bytes of a record to which a time is added. */
const TIME_KEY = `"${TIMESTAMP}":`;
/** Index of `_timestamp` in the table of fields. */
const TIME = 0;

/**
 * Judges records, one a line, against the columns of a stream, and counts what their fields hold. A
 * record that fits is passed on as it came, with two changes: its time, if it has one, becomes a
 * whole number, and integers of integer columns are written in integer notation, because the engine
 * reads nothing else there.
 */
export class LinesJudge {
  accepted = 0;
  readonly refused = new RefusedRecords();
  /** Tells whether a field has a value for which its stream might change its columns. */
  isNew = false;
  /** Tells whether a time must be written whose size would stand for another unit. */
  wantsMicroseconds = false;
  private readonly survey = new FieldSurvey();
  private readonly paths: PathSurvey;
  private readonly reader: RecordReader;
  private readonly writer: LineWriter;
  private readonly rules: readonly (ColumnRules | undefined)[];
  /**
   * By column and kind, tells whether values of a kind that has no marks go into the column
   * unchanged.
   */
  private readonly fits: Uint8Array;
  private readonly isAllUtf8: boolean;
  private alternative: number;
  private patches: Patch[] = [];

  /** @param bytes the lines; the last one must end with a line break */
  constructor(
    private readonly bytes: Buffer,
    private readonly job: JudgeJob,
    readonly times: WrittenTimes,
    memory: ChunkMemory,
  ) {
    const exact = new Set(job.exact);
    this.reader = new RecordReader(
      bytes,
      [TIMESTAMP, ...job.columns.map(({ name }) => name)],
      job.fieldsMax,
    );
    const { scanner, fields } = this.reader;
    this.paths = new PathSurvey(job.objects, (column) => fields.indexOf(column));
    scanner.paths = this.paths;
    this.rules = [
      undefined,
      ...job.columns.map((column) => new ColumnRules(column, exact.has(column.name))),
    ];
    this.fits = Uint8Array.from({ length: this.rules.length * KINDS }, (_, index) =>
      takesAsItIs(this.rules[Math.floor(index / KINDS)], index % KINDS) ? 1 : 0,
    );
    this.alternative = this.reader.fields.indexOf(ALTERNATIVE_TIMESTAMP);
    this.writer = new LineWriter(bytes, memory);
    this.isAllUtf8 = isUtf8(bytes);
  }

  /** @returns the records that fit, as they are stored; they are useless if something is new */
  judge(): readonly Buffer[] {
    const { bytes, job } = this;
    const { scanner } = this.reader;
    let line = job.firstLine;
    for (let at = 0; at < bytes.length; line += 1) {
      scanner.begin(at);
      if (scanner.blanks() !== NEWLINE) this.line(at, line);
      at = scanner.at + 1;
    }
    return this.writer.end();
  }

  /** Field, kind and number of values; fields in the order in which they came first. */
  surveyed(): SurveyedKind[] {
    const { names } = this.reader.fields;
    const kinds = names.flatMap((field, index) =>
      this.survey.of(index, this.rules[index]?.typed?.kind).map((counts) => ({ field, ...counts })),
    );
    return [...kinds, ...this.paths.surveyed((field) => names[field])];
  }

  changing(): { readonly field: string; readonly type: string }[] {
    return this.reader.fields.names.flatMap((field, index) =>
      this.survey.changing(index).map((type) => ({ field, type })),
    );
  }

  /** Leaves the scanner at the end of the line. */
  private line(start: number, line: number): void {
    const { bytes, reader } = this;
    const { scanner } = reader;
    const from = scanner.at;
    let reason: string | undefined;
    try {
      if (!reader.read()) reason = this.whyNoRecord();
      else if (scanner.isTooDeep) reason = REASON.tooDeep;
      if (scanner.blanks() !== NEWLINE) scanner.fail('malformed');
    } catch (error) {
      if (!(error instanceof FaultFound)) throw error;
      reason = this.whyFault();
    }
    const end = reason === undefined ? scanner.at : bytes.indexOf(NEWLINE, scanner.at);
    if (!this.isAllUtf8 && !isUtf8(bytes.subarray(from, end))) reason = REASON.notUtf8;
    if (reason !== undefined) reader.forgetNames();
    reason ??= this.verdict(start, from, end);
    scanner.at = end;
    if (reason !== undefined) this.refused.add(line, reason, from, withoutBlanks(bytes, from, end));
  }

  private whyNoRecord(): string {
    const { otherKind } = this.reader;
    return otherKind < 0
      ? REASON.tooMany(this.job.fieldsMax)
      : REASON.noObject(nameOfKind(otherKind));
  }

  private whyFault(): string {
    const { reader } = this;
    const { fault } = reader.scanner;
    const { last } = reader;
    const why = REASON.fault(fault);
    return fault === 'named twice within' && last ? REASON.ofField(reader.nameOf(last), why) : why;
  }

  /** Judges an object: writes it, or says why not. */
  private verdict(start: number, from: number, end: number): string | undefined {
    const { reader } = this;
    if (reader.keepNames()) this.alternative = reader.fields.indexOf(ALTERNATIVE_TIMESTAMP);
    if (this.patches.length > 0) this.patches = [];
    let unfit: Member | undefined;
    let own: Member | undefined;
    let other: Member | undefined;
    for (let index = 0; index < reader.count; index += 1) {
      const member = reader.members[index];
      if (member === undefined) break;
      if (member.field === TIME) {
        own = member;
        continue;
      }
      if (member.field === this.alternative) other = member;
      if (!this.takes(member)) unfit ??= member;
    }
    if (this.isNew) return undefined;
    if (reader.twiceFrom >= 0)
      return REASON.ofField(reader.nameOf({ field: -1, keyFrom: reader.twiceFrom }), REASON.twice);
    if (unfit) return this.whyUnfit(unfit);
    return this.timed({ start, from, end }, own, other);
  }

  /** Counts a value. @returns whether it can be stored */
  private takes(member: Member): boolean {
    const { field, kind, marks } = member;
    const isPlain = marks === 0 && this.fits[field * KINDS + kind] === 1;
    const rule = isPlain ? undefined : this.rules[field];
    if (rule?.typed) return this.takesTyped(member, rule, rule.typed);
    if (field >= 0) this.survey.count(member);
    if (isPlain) return true;
    const mayChange = this.job.refusedFields === undefined;
    if (!rule) {
      if (isSilent(kind)) return true;
      if (mayChange) this.isNew = true;
      return false;
    }
    if (mayChange && rule.mightChangeFor(kind, marks)) this.isNew = true;
    if (!rule.takes(kind, marks)) return false;
    if (rule.quotes(kind)) this.patchBy(member, quoted);
    if (marks === 0) return true;
    if ((marks & ODDLY_WRITTEN) !== 0 && rule.isOfIntegers)
      this.patches.push(plainInteger(this.bytes, member.from, member.to));
    return true;
  }

  /** Counts a value for a column whose values are looked at. @returns whether it can be stored */
  private takesTyped(member: Member, rule: ColumnRules, typed: TypedColumn): boolean {
    const { field, kind, marks, from, to } = member;
    const text = typed.json(this.bytes, kind, from, to);
    if (text === undefined) {
      if (!rule.mightChangeFor(kind, marks)) return false;
      this.survey.count(member);
      if (this.job.refusedFields === undefined) this.isNew = true;
      return false;
    }
    this.survey.count({ field, kind: OWN, marks: 0 });
    if (text !== AS_IT_STANDS) this.patches.push({ from, to, text });
    return true;
  }

  private patchBy({ from, to }: Member, rewrite: (bytes: string) => string): void {
    this.patches.push({ from, to, text: rewrite(this.bytes.toString('latin1', from, to)) });
  }

  private whyUnfit(member: Member): string {
    const name = this.reader.nameOf(member);
    const kind = kindInWords(nameOfKind(member.kind));
    const rule = this.rules[member.field];
    const why = rule ? rule.whyNot(member.marks) : this.job.refusedFields?.get(name);
    return REASON.ofField(name, REASON.noColumn(kind, why));
  }

  private timed(
    line: Line,
    own: Member | undefined,
    other: Member | undefined,
  ): string | undefined {
    const { bytes, job } = this;
    const told = own ? timeOf(bytes, own) : undefined;
    if (told === 'no time') return REASON.noTime(TIMESTAMP);
    const instead = told === undefined && other ? timeOf(bytes, other) : undefined;
    if (instead === 'no time') return REASON.noTime(ALTERNATIVE_TIMESTAMP);
    const micros = told ?? instead;
    if (job.keptFrom !== undefined && (micros ?? job.acceptedAt) < job.keptFrom)
      return REASON.notKept;
    if (instead !== undefined || (own && !this.isToldBy(own)))
      this.patchTime(line.from, own, micros);
    return this.write(line);
  }

  /** Tells whether the engine reads the time from what stands there. */
  private isToldBy({ kind, marks }: Member): boolean {
    if (this.times === 'microseconds') return false;
    return kind === NONE || (kind === INT && (marks & ODDLY_WRITTEN) === 0);
  }

  private patchTime(begin: number, own: Member | undefined, micros: Micros | undefined): void {
    const { bytes, patches } = this;
    if (this.times === 'by magnitude' && micros !== undefined && !isToldByMagnitude(micros))
      this.wantsMicroseconds = true;
    if (!own && typeof micros === 'number' && micros >= HALF) {
      patches.push({ from: begin + 1, to: begin + 1, text: TIME_KEY, micros });
      return;
    }
    const time = micros === undefined ? 'null' : textOfMicros(micros);
    if (!own) patches.push({ from: begin + 1, to: begin + 1, text: `"${TIMESTAMP}":${time},` });
    else if (!isWritten(bytes, own, time))
      patches.push({ from: own.keyFrom, to: own.to, text: `"${TIMESTAMP}":${time}` });
  }

  private write({ start, from, end }: Line): undefined {
    const { patches, writer } = this;
    this.accepted += 1;
    if (patches.length === 0) {
      writer.line(start, end + 1);
      return;
    }
    // Only the time may stand before what was looked at earlier.
    if ((patches.at(-1)?.from ?? 0) < (patches.at(-2)?.from ?? 0))
      patches.sort((a, b) => a.from - b.from);
    writer.patched(from, end + 1, patches);
  }
}

const takesAsItIs = (rule: ColumnRules | undefined, kind: number): boolean =>
  rule?.takes(kind, 0) === true && !rule.quotes(kind);

/** Tells where a line begins, where its record does, and where its line break is. */
interface Line {
  readonly start: number;
  readonly from: number;
  readonly end: number;
}

/** Tells whether a time stands there in the form in which it is stored. */
function isWritten(bytes: Buffer, { from, to }: Member, time: string): boolean {
  if (to - from !== time.length) return false;
  for (let index = 0; index < time.length; index += 1)
    if (bytes[from + index] !== time.charCodeAt(index)) return false;
  return true;
}

/** Tells where the line ends without the blanks at its end. */
function withoutBlanks(bytes: Buffer, from: number, end: number): number {
  let to = end;
  for (let byte = bytes[to - 1]; to > from && (byte === 0x20 || byte === 0x09 || byte === 0x0d); byte = bytes[to - 1]) to -= 1; // prettier-ignore
  return to;
}
