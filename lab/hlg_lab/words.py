"""Is a word broken: unknown to the en_US dictionary, or in a script that the prompt lacks?"""
import functools
import re
import unicodedata
from pathlib import Path

import spylls.hunspell

# Signs, though Unicode puts them among the letters: feminine ordinal, micro, masculine ordinal.
SIGNS = "\u00aa\u00b5\u00ba"
WORD = re.compile(r"L+(?:['\u2019]L+)*".replace("L", r"[^\W\d_%s]" % SIGNS))
REPLACEMENT = "\ufffd"  # stands for bytes that are no text


@functools.cache
def dictionary():
    folder = Path(spylls.hunspell.__file__).parent / "data/en"
    return spylls.hunspell.Dictionary.from_files(str(folder / "en_US"))


@functools.cache
def is_known(word):
    return dictionary().lookup(word.replace("\u2019", "'"))


def words(text):
    return WORD.findall(text)


def scripts(text):
    """The scripts of the letters, by Unicode's names: LATIN, GREEK, CYRILLIC, CJK, ..."""
    letters = {char for char in set(text) - set(SIGNS)
               if unicodedata.category(char).startswith("L")}
    return {unicodedata.name(char, "UNKNOWN").split()[0] for char in letters}


def touched_words(text, begin, end):
    """The words of the text that the span [begin, end) lies in, holds or cuts off on its left."""
    return [m.group() for m in WORD.finditer(text) if m.start() < end and m.end() >= begin]


def is_broken(text, begin, end, prompt):
    """Whether the words around the span are broken. Words of the prompt are known."""
    span = text[begin:end]
    if REPLACEMENT in span or scripts(span) - scripts(prompt) - {"LATIN"}:
        return True
    known = {word.lower() for word in words(prompt)}
    return any(word.lower() not in known and not is_known(word)
               for word in touched_words(text, begin, end))
