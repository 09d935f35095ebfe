"""Texts with marked tokens, side by side, for a terminal of any width. Used by demo."""
import itertools
import unicodedata
from collections import namedtuple

Piece = namedtuple("Piece", "text marked")  # what one token adds to a text
Cell = namedtuple("Cell", "char marked")
SPACE = Cell(" ", False)
MARK, PLAIN = "\x1b[4;31m", "\x1b[0m"  # underlined and red
GAP = 2
MIN_WIDTH = 16  # of a column; below it the texts stand one below the other


def visible(text):
    """Control characters and the like as escapes, so that they cannot reach the terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def width_of(char):
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def cells_of(pieces, brackets):
    """The characters of a text. Spaces in front of a marked token are not part of the mark."""
    cells = []
    for piece in pieces:
        text = visible(piece.text)
        body = text.lstrip(" ") or text
        cells += [SPACE] * (len(text) - len(body))
        if piece.marked and brackets:
            body = "[" + body + "]"
        cells += [Cell(char, piece.marked) for char in body]
    return cells


def n_fitting(cells, width):
    """How many cells fit into the width; at least one."""
    ends = itertools.accumulate(width_of(cell.char) for cell in cells)
    return max(1, sum(1 for _ in itertools.takewhile(lambda end: end <= width, ends)))


def wrap(cells, width):
    """Lines of at most that width, broken at spaces where there is one."""
    lines = []
    cells = list(itertools.dropwhile(SPACE.__eq__, cells))
    while cells:
        n = n_fitting(cells, width)
        if n < len(cells):
            n = next((i for i in range(n, 0, -1) if cells[i] == SPACE), n)
        lines.append(cells[:n])
        cells = list(itertools.dropwhile(SPACE.__eq__, cells[n:]))
    return lines


def print_text(text, width):
    for line in wrap(cells_of([Piece(text, False)], False), width):
        print("".join(cell.char for cell in line))


class Columns:
    """Prints rows of texts. colour: marks are coloured; without it they are [brackets]."""

    def __init__(self, titles, width, colour):
        self.titles = titles
        self.colour = colour
        n = len(titles)
        column = (width - GAP * (n - 1)) // n
        self.stacked = column < MIN_WIDTH
        self.width = max(2, width if self.stacked else column)

    def _painted(self, line):
        runs = itertools.groupby(line, key=lambda cell: self.colour and cell.marked)
        texts = [("".join(cell.char for cell in cells), marked) for marked, cells in runs]
        return "".join(MARK + text + PLAIN if marked else text for text, marked in texts)

    def _padded(self, line):
        return self._painted(line) + " " * (self.width - sum(width_of(c.char) for c in line))

    def print_titles(self):
        if not self.stacked:
            print()
            self.print_row("", [[Piece(title, False)] for title in self.titles])

    def print_row(self, label, texts):
        """One text a column, each a list of pieces."""
        columns = [wrap(cells_of(text, not self.colour), self.width) for text in texts]
        if label:
            print("\n" + label)
        if self.stacked:
            for title, lines in zip(self.titles, columns):
                print("\n".join(["", "-- " + title] + [self._painted(line) for line in lines]))
        else:
            for lines in itertools.zip_longest(*columns, fillvalue=[]):
                print((" " * GAP).join(self._padded(line) for line in lines).rstrip())
