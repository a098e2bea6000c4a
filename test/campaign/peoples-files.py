"""Compares what is read of files with what others read of them, value by value.

Each line of standard input is {"path", "format", "ours"}: a file, and the table's answer, in
Parquet, or in NDJSON for JSON. Each line of standard output is {"rows", "differences"}: the rows of
the answer, and the list of what differs.
JSON is read by Python, CSV and Parquet by DuckDB, Arrow by pyarrow.
"""

import json
import re
import sys
from collections import Counter

import duckdb
import pyarrow
import pyarrow.ipc

KINDS = [
    ("boolean", ["BOOLEAN"]),
    ("integer", ["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"]),
    ("integer", ["UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"]),
    ("float", ["FLOAT", "DOUBLE"]),
    ("decimal", ["DECIMAL"]),
    ("date", ["DATE"]),
    ("timestamp", ["TIMESTAMP"]),
    ("time", ["TIME"]),
    ("uuid", ["UUID"]),
    ("text", ["VARCHAR", "ENUM"]),
    ("bytes", ["BLOB"]),
]
# Both sides become one of these before they are compared.
COMMON = {
    "boolean": "{0}",
    "integer": "{0}::HUGEINT",
    "float": "{0}::DOUBLE",
    "decimal": "{0}::DECIMAL(38, 10)",
    "date": "{0}",
    "timestamp": "epoch_us({0})",
    "time": "{0}::VARCHAR",
    "uuid": "{0}::VARCHAR",
    "text": "{0}::VARCHAR",
    "bytes": "base64({0})",
}
SHOWN = 3


def kind_of(kind):
    if kind.endswith("]"):
        return "nested"
    for name, beginnings in KINDS:
        if any(kind == each or kind.startswith((each + "(", each + "_", each + " ")) for each in beginnings):
            return name
    return "nested"


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


class Number(float):
    """A number of JSON, with what was written."""

    def __new__(cls, written):
        number = float.__new__(cls, written)
        number.written = written
        return number


def plain(value):
    """The same for null, [] and {}, for what is left out and null, and for 1 and 1.0."""
    if isinstance(value, dict):
        left = {key: plain(each) for key, each in value.items()}
        return {key: each for key, each in left.items() if each is not None} or None
    if isinstance(value, list):
        return [plain(each) for each in value] or None
    if isinstance(value, float):
        return int(value) if value.is_integer() else float(value)
    return value


def counted(values):
    return Counter(json.dumps(plain(value), sort_keys=True) for value in values)


def shown(name, wanted, got):
    more, less = list((got - wanted).elements()), list((wanted - got).elements())
    if not more and not less:
        return []
    return [f"{name}: {len(less)} differ, {more[:SHOWN]} not {less[:SHOWN]}"]


def as_text(value):
    """As a column keeps values of several kinds."""
    if value is None or isinstance(value, str):
        return value
    return getattr(value, "written", None) or json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def of_json(path, form, ours):
    """Compares with what Python's own reader of JSON makes of the file."""
    with open(path, encoding="utf-8-sig") as file:
        text = file.read()
    read = lambda line: json.loads(line, parse_float=Number, parse_int=Whole)
    wanted = read(text) if form == "json" else [read(line) for line in text.split("\n") if line.strip()]
    wanted = wanted if isinstance(wanted, list) else [wanted]
    with open(ours, encoding="utf-8") as file:
        got = [json.loads(line, parse_float=Number) for line in file if line.strip()]
    if len(wanted) != len(got):
        return len(got), [f"{len(got)} rows, not {len(wanted)}"]
    names = {name for row in wanted for name in row}
    differences = []
    for name in sorted(names - {"_timestamp"}):
        theirs, own = [row.get(name) for row in wanted], [row.get(name) for row in got]
        if all(value is None or isinstance(value, str) for value in own):
            theirs = [as_text(value) for value in theirs]
        differences += shown(name, counted(theirs), counted(own))
    return len(got), differences


class Whole(int):
    """An integer of JSON, with what was written."""

    def __new__(cls, written):
        number = int.__new__(cls, written)
        number.written = written
        return number


def delimiter_of(path):
    """The one of these that the header has most of, outside quotes."""
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        header = re.sub(r'"(?:[^"]|"")*"?', "", file.readline())
    return max(",;\t|", key=header.count)


def table_of(con, path, form):
    if form == "csv":
        # As docs/records.md says: the first line has the names, and days are ISO 8601.
        options = "header = true, dateformat = '%Y-%m-%d', sample_size = -1"
        return f"read_csv('{path}', delim = '{delimiter_of(path)}', {options})"
    if form == "parquet":
        return f"read_parquet('{path}')"
    with pyarrow.memory_map(path) as source:
        try:
            table = pyarrow.ipc.open_file(source).read_all()
        except pyarrow.ArrowInvalid:
            source.seek(0)
            table = pyarrow.ipc.open_stream(source).read_all()
    con.register("arrow_table", table)
    return "arrow_table"


def of_table(con, path, form, ours):
    """Compares with what DuckDB reads, or pyarrow of Arrow's files."""
    con.execute(f"CREATE OR REPLACE TEMP TABLE theirs AS SELECT * FROM {table_of(con, path, form)}")
    con.execute(f"CREATE OR REPLACE TEMP TABLE ours AS SELECT * FROM read_parquet('{ours}')")
    wanted, got = (
        {name: kind_of(kind) for name, kind, *_ in con.execute(f"DESCRIBE {table}").fetchall()}
        for table in ("theirs", "ours")
    )
    if form == "csv":
        # Columns without a name, and those that come twice, are called otherwise.
        own = [name for name in got if name != "_timestamp" or name in wanted]
        for name, other in zip(own, wanted):
            if name != other and name not in wanted:
                con.execute(f"ALTER TABLE ours RENAME COLUMN {quoted(name)} TO {quoted(other)}")
                got[other] = got.pop(name)
    rows = [con.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("ours", "theirs")]
    differences = [] if rows[0] == rows[1] else [f"{rows[0]} rows, not {rows[1]}"]
    differences += [f"{name}: a column more" for name in got if name not in wanted and name != "_timestamp"]
    for name, kind in wanted.items():
        if name == "_timestamp":
            continue
        if name not in got:
            differences.append(f"{name}: no such column ({kind})")
            continue
        if form == "csv" and {kind, got[name]} == {"integer", "float"}:
            # 1.0 is the integer where all values of a column are whole.
            kind = got[name] = "float"
        if kind != got[name] and not (kind == "nested" or got[name] == "nested"):
            differences.append(f"{name}: {got[name]}, not {kind}")
            continue
        if kind == "nested" or got[name] == "nested":
            column = f"to_json({quoted(name)})"
            sides = [
                [json.loads(text) if text else None for (text,) in con.execute(f"SELECT {column} FROM {table}").fetchall()]
                for table in ("theirs", "ours")
            ]
            differences += shown(name, counted(sides[0]), counted(sides[1]))
            continue
        column = COMMON[kind].format(quoted(name))
        missing, more = (
            con.execute(f"SELECT {column} FROM {a} EXCEPT ALL SELECT {column} FROM {b}").fetchall()
            for a, b in (("theirs", "ours"), ("ours", "theirs"))
        )
        if missing or more:
            differences.append(f"{name}: {len(missing)} differ, {more[:SHOWN]} not {missing[:SHOWN]}")
    return rows[0], differences


def main():
    con = duckdb.connect()
    con.execute("SET TimeZone = 'UTC'; SET threads = 1")
    for line in sys.stdin:
        asked = json.loads(line)
        path, form, ours = asked["path"], asked["format"], asked["ours"]
        try:
            rows, found = of_json(path, form, ours) if form in ("json", "ndjson") else of_table(con, path, form, ours)
        except Exception as error:  # what they cannot read is told as well
            rows, found = 0, [f"unread: {type(error).__name__} {str(error).splitlines()[0][:200]}"]
        print(json.dumps({"rows": rows, "differences": found}), flush=True)


main()
