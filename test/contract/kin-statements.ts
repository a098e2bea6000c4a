/** A statement of the same shape: values of the same kinds. */
export const kinOf = (sql: string): string =>
  sql.replace(/'[^'\\]*'|(?<![\w.'])\d+(?:\.\d+)?(?![\w.'])/g, (value) => {
    // A fraction of another form is judged as it is.
    if (/^0\.0|\.\d*[09]$/.test(value)) return value;
    if (!value.startsWith("'"))
      return value.length === 1
        ? String(9 - Number(value))
        : value.replace(/\d$/, (last) => String(9 - Number(last)));
    if (/\d{4}-\d\d-\d\d/.test(value)) return value.replace(/-\d\d-\d\d/, '-03-04');
    return /^'[\s\d.+-]/.test(value) ? value : "'another'";
  });

/** Values of other kinds. */
export const withOtherValues = (sql: string): string =>
  sql.replace(/'[^'\\]*'|(?<![\w.'])\d+(?:\.\d+)?(?![\w.'])/g, (value) =>
    value.startsWith("'") ? "'another'" : String((Number(value) * 7 + 3) % 10 ** value.length),
  );
