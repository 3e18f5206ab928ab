"""Prints the tables that dlt wrote as JSON: {table: [row]}. usage: dump_duckdb.py FILE TABLE…"""

import datetime
import json
import sys
from decimal import Decimal

import duckdb

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def selected(name, kind):
    """Instants in microseconds: Python reads those of a zone only if another package is installed."""
    return f'epoch_us("{name}")' if kind.startswith("TIMESTAMP") else f'"{name}"'


def plain(value, kind):
    if kind.startswith("TIMESTAMP") and value is not None:
        text = (EPOCH + datetime.timedelta(microseconds=value)).isoformat(timespec="microseconds")
        return text.removesuffix("+00:00").removesuffix("000") + "Z"
    if isinstance(value, datetime.time):
        return value.isoformat()
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    return json.loads(value) if kind == "JSON" and value is not None else value


connection = duckdb.connect(sys.argv[1], read_only=True)
tables = {}
for table in sys.argv[2:]:
    columns = [row[:2] for row in connection.sql(f"describe crm.{table}").fetchall()]
    names = ", ".join(selected(name, kind) for name, kind in columns)
    rows = connection.execute(f"select {names} from crm.{table}").fetchall()
    kept = [(index, name, kind) for index, (name, kind) in enumerate(columns) if not name.startswith("_")]
    tables[table] = {
        "columns": dict(columns),
        "rows": [{name: plain(row[index], kind) for index, name, kind in kept} for row in rows],
    }
print(json.dumps(tables))
