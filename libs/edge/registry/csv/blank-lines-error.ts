import { MillraceError } from '@app/platform';

/** Files of CSV have blank lines between others. */
export class BlankLinesError extends MillraceError {
  constructor(readonly paths: ReadonlySet<string>) {
    super(
      'MALFORMED_BODY',
      'blank lines have come between others in a file: the table must be read again (reload_interval does so, or register it again)',
    );
  }
}
