"""Rows of float32 for the command-line tests.

usage: floats.py make '[[1, 2], [-inf, nan]]' > rows.f32
       floats.py show N < rows.f32              N numbers a line
"""
import struct
import sys

verb, argument = sys.argv[1:]
if verb == "make":
    rows = eval(argument, {"inf": float("inf"), "nan": float("nan")})
    sys.stdout.buffer.write(b"".join(struct.pack("<%df" % len(row), *row) for row in rows))
else:
    data = sys.stdin.buffer.read()
    for start in range(0, len(data), 4 * int(argument)):
        print(*("%.4f" % value for value in struct.unpack_from("<%sf" % argument, data, start)))
