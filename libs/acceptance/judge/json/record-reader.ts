import { FieldTable } from './field-table.js';
import { JsonScanner } from './json-scanner.js';
import { NO_PATH } from './path-survey.js';

const [QUOTE, COLON, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x3a, 0x7b, 0x7d];
/** More distinct fields than any stream may have; records with others are refused. */
const FIELDS_MAX = 20_000;
/** Spellings of names that are remembered. A client could spell one in any number of ways. */
const SPELLED_MAX = 5000;

/** A field of the current record, and its place. */
export interface Member {
  /** Index of its name; -1 when there are more names than any stream may have. */
  field: number;
  kind: number;
  /** See `kinds.ts`. */
  marks: number;
  /** Tells where its name begins, with the quote. */
  keyFrom: number;
  from: number;
  to: number;
}

/**
 * Reads records, and finds the names of their fields. The result stays until the next record is
 * read.
 */
export class RecordReader {
  readonly scanner: JsonScanner;
  readonly fields: FieldTable;
  /** The record's fields; only the first `count` are its own. */
  readonly members: Member[] = [];
  count = 0;
  /** The place of the name of a field that appears for the second time; -1 if there is none. */
  twiceFrom = -1;
  /** The kind of the value if it is not an object. */
  otherKind = -1;
  /** For each field, the last record that had it. */
  private seenIn = new Int32Array(64);
  /**
   * For each field, the field that followed it last time. The first place is for the first field.
   * Records have their fields in much the same order.
   */
  private following = new Int32Array(64);
  private record = 0;
  /** Tells whether the current record has an object in a field that no record had before. */
  private enteredFresh = false;
  /** The place of the name of the current member. */
  private keyFrom = 0;
  /** Names as they are spelled with escapes, for each the field that it is. */
  private readonly spelled = new FieldTable([]);
  private readonly fieldOfSpelled: number[] = [];
  /** Fields of the current record that no record had before. */
  private readonly fresh = new Map<string, number>();

  /** @param bytes the lines; the last one must end with a line break */
  constructor(
    private readonly bytes: Buffer,
    names: readonly string[],
    private readonly membersMax: number,
  ) {
    this.scanner = new JsonScanner(bytes);
    this.fields = new FieldTable(names);
  }

  /**
   * Reads what begins at the scanner's place.
   * @returns whether it is an object with no more fields than a stream can have
   * @throws {FaultFound}
   */
  read(): boolean {
    const { scanner } = this;
    this.record += 1;
    this.count = 0;
    this.twiceFrom = -1;
    this.otherKind = -1;
    this.enteredFresh = false;
    if (this.fresh.size > 0) this.fresh.clear();
    if (scanner.blanks() !== OPEN_OBJECT) {
      this.otherKind = scanner.value(0);
      return false;
    }
    scanner.at += 1;
    if (scanner.blanks() === CLOSE_OBJECT) {
      scanner.at += 1;
      return true;
    }
    for (let before = -1; ;) {
      before = this.member(before);
      if (!scanner.goesOn(CLOSE_OBJECT)) return this.count <= this.membersMax;
    }
  }

  /**
   * Adds the names of the record that was just read to the table.
   * @returns whether there are any
   */
  keepNames(): boolean {
    if (this.fresh.size === 0) return false;
    for (const [name, field] of this.fresh) if (field >= 0) this.fields.add(name);
    return true;
  }

  /** The name of the field in work, or of a member. */
  nameOf({ field, keyFrom }: Pick<Member, 'field' | 'keyFrom'>): string {
    const known = this.fields.names[field];
    if (known !== undefined) return known;
    this.scanner.at = keyFrom;
    this.scanner.text();
    return this.textAt(keyFrom, this.scanner.at);
  }

  /** The record's last field, as far as it was read. */
  get last(): Member | undefined {
    return this.members[Math.min(this.count, this.membersMax) - 1];
  }

  /** @returns the index of its field */
  private member(before: number): number {
    const { scanner, members, bytes } = this;
    if (scanner.blanks() !== QUOTE) scanner.fail('malformed');
    const keyFrom = scanner.at;
    this.keyFrom = keyFrom;
    const member = (members[Math.min(this.count, this.membersMax - 1)] ??= newMember());
    this.count += 1;
    member.keyFrom = keyFrom;
    const expected = this.following[before + 1] ?? 0;
    const behind = this.fields.behind(expected, bytes, keyFrom);
    if (behind >= 0) {
      scanner.at = behind;
      this.see(expected);
      member.field = expected;
    } else {
      scanner.text();
      member.field = this.fieldOf(keyFrom, scanner.at, before);
      scanner.expect(COLON);
    }
    scanner.marks = 0;
    const first = scanner.blanks();
    member.from = scanner.at;
    if (first === OPEN_OBJECT) this.enterObject(member.field);
    member.kind = scanner.value(1);
    member.marks = scanner.marks;
    member.to = scanner.at;
    return member.field;
  }

  /**
   * Forgets the paths that were found within new fields of the record just read, because that
   * record is refused.
   */
  forgetNames(): void {
    if (this.enteredFresh) this.scanner.paths?.forgetFrom(this.fields.names.length);
  }

  private enterObject(field: number): void {
    const { scanner } = this;
    if (field >= this.fields.names.length) this.enteredFresh = true;
    if (scanner.paths) scanner.path = field < 0 ? NO_PATH : scanner.paths.topOf(field);
  }

  /** @returns its index, or the one that it will have; -1 when there are too many */
  private fieldOf(from: number, to: number, before: number): number {
    const { bytes, fields, scanner } = this;
    const { hasEscape } = scanner;
    const expected = this.following[before + 1] ?? 0;
    const field = hasEscape
      ? this.escapedField(from, to)
      : fields.find(bytes, from + 1, to - 1, expected);
    if (field >= 0 && field !== expected) this.following[before + 1] = field;
    if (field < 0)
      return this.freshField(
        hasEscape ? this.textAt(from, to) : bytes.toString('utf8', from + 1, to - 1),
      );
    this.see(field);
    return field;
  }

  /** Finds a name with an escape. Programs spell a name alike each time, so it is read once. */
  private escapedField(from: number, to: number): number {
    const { bytes, fields, spelled, fieldOfSpelled } = this;
    const known = fieldOfSpelled[spelled.find(bytes, from + 1, to - 1, -1)];
    if (known !== undefined) return known;
    const field = fields.indexOf(this.textAt(from, to));
    if (field >= 0 && fieldOfSpelled.length < SPELLED_MAX) {
      spelled.add(bytes.toString('utf8', from + 1, to - 1));
      fieldOfSpelled.push(field);
    }
    return field;
  }

  private freshField(name: string): number {
    const known = this.fresh.get(name);
    if (known !== undefined) {
      this.seeTwice();
      return known;
    }
    const next = this.fields.names.length + this.fresh.size;
    const field = next < FIELDS_MAX ? next : -1;
    // This includes names that are too many for the table: a record with too many fields needs no
    // more of them.
    if (this.count <= this.membersMax) this.fresh.set(name, field);
    return field;
  }

  private see(field: number): void {
    if (field + 1 >= this.seenIn.length) {
      this.seenIn = longer(this.seenIn, field);
      this.following = longer(this.following, field);
    }
    if (this.seenIn[field] === this.record) this.seeTwice();
    this.seenIn[field] = this.record;
  }

  /** Notes that the record has the member in work twice. */
  private seeTwice(): void {
    if (this.twiceFrom < 0) this.twiceFrom = this.keyFrom;
  }

  private textAt(from: number, to: number): string {
    return String(JSON.parse(this.bytes.toString('utf8', from, to)));
  }
}

const newMember = (): Member => ({ field: -1, kind: 0, marks: 0, keyFrom: 0, from: 0, to: 0 });

function longer(numbers: Int32Array<ArrayBuffer>, field: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * (field + 2));
  larger.set(numbers);
  return larger;
}
