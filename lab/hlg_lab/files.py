"""Files in and out. Whatever is wrong with one is a Failure: one line that names it."""
import csv
import io
import json
from pathlib import Path


class Failure(Exception):
    """What went wrong, in one line."""


def read_text(path):
    try:
        return Path(path).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise Failure("no such file: %s" % path) from error
    except (OSError, UnicodeDecodeError) as error:
        raise Failure("%s: %s" % (path, error)) from error


def check_fields(record, needed, where):
    missing = [name for name in needed if name not in record]
    if missing:
        raise Failure("%s: no %s" % (where, ", ".join(missing)))


def read_json(path):
    try:
        return json.loads(read_text(path))
    except ValueError as error:
        raise Failure("%s: %s" % (path, error)) from error


def read_object(path, needed):
    value = read_json(path)
    if not isinstance(value, dict):
        raise Failure("%s: not a JSON object" % path)
    check_fields(value, needed, path)
    return value


def read_jsonl(path, needed):
    """The objects of a file, one a line."""
    records = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        where = "%s:%d" % (path, number)
        try:
            record = json.loads(line)
        except ValueError as error:
            raise Failure("%s: %s" % (where, error)) from error
        if not isinstance(record, dict):
            raise Failure("%s: not a JSON object" % where)
        check_fields(record, needed, where)
        records.append(record)
    return records


def as_number(text):
    """A cell of a CSV file: a number where it is one. "off" and names stay text."""
    try:
        return float(text)
    except ValueError:
        return text


def read_csv(path, needed):
    """The rows of a file as dictionaries, numbers as floats."""
    rows = list(csv.DictReader(io.StringIO(read_text(path))))
    if not rows:
        raise Failure("%s: no rows" % path)
    for number, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise Failure("%s:%d: not as many cells as columns" % (path, number))
    check_fields(rows[0], needed, path)
    return [{name: as_number(cell) for name, cell in row.items()} for row in rows]


def number(value):
    """How a number is written wherever bytes are to be equal; a text stays, None is empty."""
    if value is None:
        return ""
    return "%.6g" % value if isinstance(value, float) else str(value)


def csv_text(columns, rows):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([number(row[name]) for name in columns] for row in rows)
    return out.getvalue()


def write_text(path, text):
    """The file is there whole or not at all. One that holds the text already stays as it is."""
    path = Path(path)
    part = path.with_name(path.name + ".part")
    try:
        if path.exists() and path.read_bytes() == text.encode():
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, encoding="utf-8", newline="\n")
        part.replace(path)
    except OSError as error:
        raise Failure("%s: %s" % (path, error.strerror)) from error
