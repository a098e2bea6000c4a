const HEADER = 'the header names fewer columns than the records have, and so they are rejected';
const RETURNS = 'lines end with a carriage return alone, which is a 400 that says so';
const BEYOND = 'an integer beyond 2⁵³ among fractions is rejected, not rounded';
const WORDS = 'yes and no are texts';
const QUOTES = 'what stands behind the quotes of a field is a 400 that says so';

interface KnownDifference {
  readonly files: RegExp;
  readonly difference: RegExp;
  readonly why: string;
}

/** Of files by their names, what differs from the reading of others, and why that is so. */
export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    files: /^(?:breast_cancer|wine_data|unemp|scotland_population|dietox)\.csv$/,
    difference: /./,
    why: HEADER,
  },
  {
    files: /^(?:mar_filardo|results_wpi1_ar3_stata)\.csv$/,
    difference: /a carriage return/,
    why: RETURNS,
  },
  { files: /^results_(?:intercepts|smoothing)\w*_R\.csv$/, difference: /./, why: BEYOND },
  { files: /./, difference: /: text, not boolean$/, why: WORDS },
  { files: /^(?:sprint|scotvote|poisson_resid)\.csv$/, difference: /^400/, why: QUOTES },
];
