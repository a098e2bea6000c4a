"""Tells what DuckDB reads of files: rows, columns, and facts of each column, one line of JSON a file.

    python peoples-data.py <folder of packages> <bytes that a file may have> <folder for files made here>
"""

import gzip
import json
import sys
from pathlib import Path

import duckdb

READERS = {
    "csv": "read_csv({!r}, sample_size = -1)",
    "tsv": "read_csv({!r}, sample_size = -1)",
    "json": "read_json({!r}, sample_size = -1, map_inference_threshold = -1)",
    "ndjson": "read_json({!r}, sample_size = -1, map_inference_threshold = -1)",
    "parquet": "read_parquet({!r})",
}
KINDS = [
    ("boolean", ["BOOLEAN"]),
    ("integer", ["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"]),
    ("float", ["FLOAT", "DOUBLE", "DECIMAL"]),
    ("date", ["DATE"]),
    ("timestamp", ["TIMESTAMP"]),
    ("text", ["VARCHAR"]),
]
SUMS = {
    "boolean": "count(*) FILTER (WHERE {0})",
    "integer": "sum({0}::DOUBLE)",
    "float": "sum({0}::DOUBLE) FILTER (WHERE isfinite({0}::DOUBLE))",
    "date": "sum(epoch({0}::TIMESTAMP))",
    "timestamp": "sum(epoch({0}::TIMESTAMP))",
    "text": "sum(octet_length(encode({0})))",
    "other": "NULL",
}
AT_ONCE = 100


def kind_of(kind):
    for name, beginnings in KINDS:
        if any(kind == each or kind.startswith((each + "(", each + "_", each + " ")) for each in beginnings):
            return name
    return "other"


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def reading(con, path, form):
    source = READERS[form].format(str(path))
    con.execute(f"CREATE OR REPLACE TEMP TABLE t AS SELECT * FROM {source}")
    described = [(name, kind_of(kind)) for name, kind, *_ in con.execute("DESCRIBE t").fetchall()]
    columns = []
    for at in range(0, len(described), AT_ONCE):
        some = described[at : at + AT_ONCE]
        facts = [part for name, kind in some for part in (f"count({quoted(name)})", SUMS[kind].format(quoted(name)))]
        values = con.execute(f"SELECT {', '.join(facts)} FROM t").fetchone()
        for place, (name, kind) in enumerate(some):
            columns.append({"name": name, "kind": kind, "values": values[2 * place], "sum": values[2 * place + 1]})
    return {"rows": con.execute("SELECT count(*) FROM t").fetchone()[0], "columns": columns}


def made_here(con, folder):
    """Shapes that no package carries."""
    wide = ", ".join(f"i * {n} AS c{n}" for n in range(1500))
    con.execute(f"COPY (SELECT {wide} FROM range(40) t(i)) TO '{folder}/wide.csv'")
    con.execute(f"COPY (SELECT {wide} FROM range(40) t(i)) TO '{folder}/wide.parquet' (FORMAT parquet)")


def main():
    packages, most, own = Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    con = duckdb.connect()
    con.execute("SET TimeZone = 'UTC'; SET threads = 1")
    made_here(con, own)
    for path in sorted([*packages.rglob("*"), *own.glob("*")]):
        if not path.is_file() or path.stat().st_size > most or "duckdb" in path.parts:
            continue
        name = path.name
        if name.endswith(".gz"):
            plain = own / f"{path.parent.name}-{name[:-3]}"
            plain.write_bytes(gzip.decompress(path.read_bytes()))
            path, name = plain, plain.name
        form = name.rsplit(".", 1)[-1].lower()
        if form not in READERS:
            continue
        # Objects alone are settings and drawings, and no tables.
        if form == "json" and not path.read_bytes()[:100].lstrip().startswith(b"["):
            continue
        try:
            found = reading(con, path, form)
        except duckdb.Error as error:
            found = {"problem": str(error).splitlines()[0][:200]}
        print(json.dumps({"path": str(path), "format": form, **found}), flush=True)


main()
