"""Files in and out. Whatever is wrong with one is a Failure: one line that names it.

A reader is told the fields that it needs and what they are, a dictionary: name -> kind. A kind is a
Kind; such a dictionary, for an object; a list of one kind, for a list of such; or a function from
the record to its kind. A field may be missing where its name ends with "?".
"""
import csv
import io
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
SURROGATE = re.compile("[\ud800-\udfff]")  # half a character, which no file can hold
STDOUT = "-"        # in place of a path
DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/(\d+)", re.ASCII)
LARGEST = 2 ** 53   # whole numbers up to it are the same as floats
TOO_LARGE = 1e100   # its square is a float too; so NaN and infinity are no numbers


class Failure(Exception):
    """What went wrong, in one line."""


def is_text(value):
    return isinstance(value, str) and not SURROGATE.search(value)


def is_whole(value):
    return type(value) is int and abs(value) <= LARGEST


def is_number(value):
    return is_whole(value) or isinstance(value, float) and abs(value) < TOO_LARGE


class Kind(NamedTuple):
    name: str
    holds: Callable[[object], bool]


def either(*kinds):
    return Kind(" or ".join(kind.name for kind in kinds),
                lambda value: any(kind.holds(value) for kind in kinds))


def word(*words):
    return Kind(" or ".join(words), lambda value: value in words)


def at_least(low, kind):
    return Kind("%s from %d" % (kind.name, low), lambda value: kind.holds(value) and value >= low)


TEXT = Kind("text", is_text)
NUMBER, WHOLE = Kind("number", is_number), Kind("whole number", is_whole)
BOOLEAN = Kind("boolean", lambda value: isinstance(value, bool))
NULL, EMPTY = Kind("null", lambda value: value is None), Kind("empty", lambda value: value == "")
LIST, OBJECT = (Kind("list", lambda value: isinstance(value, list)),
                Kind("JSON object", lambda value: isinstance(value, dict)))
COUNT, CELL = at_least(0, WHOLE), either(NUMBER, EMPTY)


def shown(value):
    """A value in an error."""
    text = {list: "a list", dict: "an object"}.get(type(value)) or json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


def check_fields(record, needed, where):
    missing = [name for name in needed if name not in record]
    if missing:
        raise Failure("%s: no %s" % (where, ", ".join(missing)))


def kind_in(record, kind):
    return kind if isinstance(kind, (Kind, dict, list)) else kind(record)


def check(value, kind, *where):
    """Fails where a value is not of its kind. `where`: the file, and the fields down to it."""
    outer = {dict: OBJECT, list: LIST}.get(type(kind), kind)
    if not outer.holds(value):
        raise Failure("%s: %s is no %s" % (": ".join(where), shown(value), outer.name))
    if isinstance(kind, list):
        for i, one in enumerate(value, 1):
            check(one, kind[0], *where, str(i))
    elif isinstance(kind, dict):
        check_fields(value, [name for name in kind if name[-1] != "?"], ": ".join(where))
        for key, of in kind.items():
            name = key.rstrip("?")
            if name in value:
                check(value[name], kind_in(value, of), *where, name)


def read_text(path, newline=None):
    """`newline`: as of open()."""
    try:
        with open(path, encoding="utf-8", newline=newline) as file:
            return file.read()
    except FileNotFoundError as error:
        raise Failure("no such file: %s" % path) from error
    except (OSError, UnicodeDecodeError) as error:
        raise Failure("%s: %s" % (path, error)) from error


def read_data(path):
    """Text that is not for people."""
    text = read_text(path)
    if text.startswith("\ufeff"):
        raise Failure("%s:1: begins with a byte order mark (BOM), which is not allowed" % path)
    return text


def parsed(text, kind, where):
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise Failure("%s: JSON is nested too deep" % where) from error
    except ValueError as error:
        raise Failure("%s: %s" % (where, error)) from error
    check(value, kind, where)
    return value


def read_json(path, kind):
    return parsed(read_data(path), kind, str(path))


def read_header(path, fields):
    """record.json or harm.json, of a run that is complete."""
    header = read_json(path, {"complete": BOOLEAN, **fields})
    if not header["complete"]:
        raise Failure("%s: complete: false: the run is not complete: the same hlg %s goes on where "
                      "it stopped" % (path, Path(path).stem))
    return header


def read_jsonl(path, fields, key=()):
    """The objects of a file, one a line. No two are the same in all fields of the key."""
    records, places = [], {}
    for number, line in enumerate(read_data(path).split("\n"), 1):
        if not line.strip():
            continue
        where = "%s:%d" % (path, number)
        record = parsed(line, fields, where)
        values = tuple(record[name] for name in key)
        if key and places.setdefault(values, number) != number:
            raise Failure("%s: %s is in line %d already" % (where, ", ".join(
                "%s %s" % pair for pair in zip(key, map(shown, values))), places[values]))
        records.append(record)
    if not records:
        raise Failure("%s: no lines" % path)
    return records


def as_number(text):
    """A number where the text is one; the text itself otherwise."""
    return float(text) if DECIMAL.fullmatch(text) else text


def row_of(cells, columns, where):
    """A row of a CSV file, all its cells texts, with numbers as floats."""
    row = {}
    for name, cell in cells.items():
        kind = kind_in(cells, columns.get(name, CELL))
        row[name] = cell if kind is TEXT else as_number(cell)
        check(row[name], kind, where, name)
    return row


def read_csv(path, columns):
    """The rows of a file as dictionaries. Columns that are not asked for are of numbers."""
    lines, rows = csv.reader(io.StringIO(read_data(path)), strict=True), []
    try:
        names = next(lines, [])
        if len(set(names)) < len(names):
            raise Failure("%s:1: two columns have one name" % path)
        for cells in filter(None, lines):
            where = "%s:%d" % (path, lines.line_num)
            if len(cells) != len(names):
                raise Failure("%s: not as many cells as columns" % where)
            check_fields(names, columns, path)
            rows.append(row_of(dict(zip(names, cells)), columns, where))
    except csv.Error as error:
        raise Failure("%s:%d: %s" % (path, lines.line_num, error)) from error
    if not rows:
        raise Failure("%s: no rows" % path)
    return rows


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


def jsonl_text(records):
    return "".join(json.dumps(record) + "\n" for record in records)


def replace(path, data):
    """The file is there whole or not at all. One that holds the data already stays as it is."""
    path = Path(os.path.realpath(path))  # a link to it stays
    if path.exists() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    try:
        part.write_bytes(data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def descriptor(path):
    """The number of the open file that a path stands for, None where it stands for none."""
    if path in (STDOUT, "/dev/stdout"):
        return 1
    number = DESCRIPTOR.fullmatch(str(path))
    return number and int(number[1])


def write_text(path, text):
    """A device, a pipe or what is open already is written into; so is STDOUT."""
    number = descriptor(path)
    try:
        data = text.encode()
        if number is not None or os.path.exists(path) and not os.path.isfile(path):
            with open(path if number is None else number, "wb", closefd=number is None) as file:
                file.write(data)
        else:
            replace(path, data)
    except (OSError, UnicodeError) as error:
        name = "standard output" if number == 1 else path
        raise Failure("%s: %s" % (name, getattr(error, "strerror", error))) from error


def write_texts(folder, texts):
    """Name -> text."""
    for name, text in texts.items():
        write_text(Path(folder) / name, text)
