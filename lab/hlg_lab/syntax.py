"""Can a text that was cut off anywhere still become JSON, or Python?

The standard parsers decide: the text is good when it parses with one of a few short endings.
"""
import json
import re
import warnings

# Ends of a value, a name, an escape or a literal that the text may have been cut in.
JSON_ENDINGS = ("", "0", '"', ':0', '":0', '"":0', 'n"', 'n":0',
                *(zeros + tail for zeros in ("0", "00", "000", "0000") for tail in ('"', '":0')),
                "rue", "ue", "e", "alse", "lse", "se", "ull", "ll", "l")
CLOSERS = {"{": "}", "[": "]"}
# ast.PyCF_ALLOW_INCOMPLETE_INPUT of CPython, as codeop uses it: says "incomplete input" where
# more text may help.
ALLOW_INCOMPLETE_INPUT = 0x4000
PYTHON_ENDINGS = ("", "x", "x:", "x: x", "():", "x():", ":", "*x", " x", " x:", "x in x:",
                  "x else x", " in x", " in x:", "x import x", " import x", " else x", "= x",
                  "= x:", "> x:", "'", '"', "':", '":', "def x():", "finally:", "\n")
LAST_WORD = re.compile(r"\w+\Z")


def json_closers(text):
    """What closes the brackets that are open at the end, innermost first."""
    open_ones, in_string, escaped = [], False, False
    for char in text:
        if in_string:
            in_string = escaped or char != '"'
            escaped = not escaped and char == "\\"
        elif char == '"':
            in_string = True
        elif char in CLOSERS:
            open_ones.append(CLOSERS[char])
        elif char in "]}" and open_ones:
            open_ones.pop()
    return "".join(reversed(open_ones))


def json_end(text):
    """Where the JSON value ends that the text begins with; None where it is not whole."""
    try:
        return json.JSONDecoder(strict=False).raw_decode(text)[1]
    except (ValueError, RecursionError):
        return None


def may_be_json(text):
    """Whether the text begins with a JSON value, or would with more text at its end."""
    closers = json_closers(text)
    return any(json_end(text + ending + closers) is not None for ending in JSON_ENDINGS)


def compiles(source):
    """Whether Python takes the source, or would with more lines."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "<text>", "exec", ALLOW_INCOMPLETE_INPUT, dont_inherit=True)
    except SyntaxError as error:
        return "incomplete input" in str(error)
    except (ValueError, OverflowError, RecursionError, MemoryError):
        return False
    return True


def may_be_python(text):
    """The same for Python. The last word of the text may be cut too."""
    return any(compiles(start + ending) for start in (text, LAST_WORD.sub("", text))
               for ending in PYTHON_ENDINGS)
