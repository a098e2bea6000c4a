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
    described = con.execute("DESCRIBE t").fetchall()
    columns = []
    for name, kind, *_ in described:
        column = quoted(name)
        kind = kind_of(kind)
        facts = {"name": name, "kind": kind}
        facts["values"] = con.execute(f"SELECT count({column}) FROM t").fetchone()[0]
        if kind in ("integer", "float"):
            facts["sum"] = con.execute(f"SELECT sum({column}::DOUBLE) FROM t WHERE isfinite({column}::DOUBLE)").fetchone()[0]
        elif kind == "text":
            facts["sum"] = con.execute(f"SELECT sum(octet_length(encode({column}))) FROM t").fetchone()[0]
        elif kind == "boolean":
            facts["sum"] = con.execute(f"SELECT count(*) FROM t WHERE {column}").fetchone()[0]
        elif kind in ("date", "timestamp"):
            facts["sum"] = con.execute(f"SELECT sum(epoch({column}::TIMESTAMP)) FROM t").fetchone()[0]
        columns.append(facts)
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
        try:
            found = reading(con, path, form)
        except duckdb.Error as error:
            found = {"problem": str(error).splitlines()[0][:200]}
        print(json.dumps({"path": str(path), "format": form, **found}), flush=True)


main()
