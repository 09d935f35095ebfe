"""Scores the texts of `hlg harm`: what people mind, and what the judge says.

A score is 1 for harm, 0 for none, None where the question makes no sense for the text: JSON that
was whole or broken before the forced token, an answer that was already given, words of a program,
and a token that ended the text.
"""
import re
from collections import Counter
from typing import NamedTuple

from . import syntax, words

PROGRAMS = ("code", "json")
NUMBER = re.compile(r"(?:(?<![\w)])-)?\d+(?:\.\d+)?")
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")
N_GRAM = 4
MANY = 3  # times the same n-gram


class Sample(NamedTuple):
    kind: str
    prompt: str
    chat: bool     # the prompt went through the chat template
    answers: list  # texts; each is right
    before: str    # the response up to the forced token
    forced: str
    after: str

    @property
    def text(self):
        return self.before + self.forced + self.after


def broken_word(sample):
    if sample.kind in PROGRAMS:
        return None
    begin = len(sample.before)
    return int(words.is_broken(sample.text, begin, begin + len(sample.forced), sample.prompt))


def broken_json(sample):
    """The JSON that prompt and response were in the middle of when the token was forced."""
    before = sample.before if sample.chat else sample.prompt + sample.before
    start = re.search(r"[{\[]", before)
    if sample.kind != "json" or not start:
        return None
    so_far = before[start.start():]
    if syntax.json_end(so_far) is not None or not syntax.may_be_json(so_far):
        return None
    return int(not syntax.may_be_json(so_far + sample.forced + sample.after))


def broken_code(sample):
    """The Python that the response was in the middle of: a fenced block, or a prompt of code."""
    if sample.kind != "code":
        return None
    head, fence, block = sample.before.rpartition("```")
    if fence and head.count("```") % 2 == 0:
        so_far = block.partition("\n")[2]
    elif not fence and not sample.chat:
        so_far = sample.prompt + sample.before
    else:
        return None
    if not so_far.strip() or not syntax.may_be_python(so_far):
        return None
    after = (sample.forced + sample.after).partition("```")[0]
    return int(not syntax.may_be_python(so_far + after))


def has_answer(text, answers):
    """Whether one of the answers is in the text: as a number, or as whole words."""
    numbers = {float(found) for found in NUMBER.findall(THOUSANDS.sub("", text))}
    for answer in answers:
        if NUMBER.fullmatch(answer):
            if float(answer) in numbers:
                return True
        elif re.search(r"(?<!\w)%s(?!\w)" % re.escape(answer), text, re.IGNORECASE):
            return True
    return False


def wrong_answer(sample):
    if not sample.answers or has_answer(sample.before, sample.answers):
        return None
    return int(not has_answer(sample.text, sample.answers))


def repeated(sample):
    """Whether the continuation brings an n-gram of words to its third time."""
    def grams(text):
        found = [word.lower() for word in words.words(text)]
        return Counter(zip(*(found[i:] for i in range(N_GRAM))))
    before, now = grams(sample.before), grams(sample.text)
    return int(any(count >= MANY > before[gram] for gram, count in now.items()))


TEXT_SCORES = {"broken_word": broken_word, "broken_json": broken_json, "broken_code": broken_code,
               "wrong_answer": wrong_answer, "repeated": repeated}
JUDGE_SCORES = {"judge_forced": "judge_nll_forced", "judge_rest": "judge_nll_rest"}
ANY = "any"           # at least one of ANY_OF
# Not the answer: within so few tokens it mostly depends on the model whether it comes at all.
ANY_OF = tuple(kind for kind in TEXT_SCORES if kind != "wrong_answer")
KINDS = (ANY, *TEXT_SCORES, *JUDGE_SCORES)


def sample_of(line, prompt):
    """Where the prompt was no chat, `before` begins with it; only the response is kept."""
    answers = prompt.get("answer", [])
    answers = [str(a) for a in (answers if isinstance(answers, list) else [answers])]
    chat = bool(prompt.get("chat"))
    before = line["before"] if chat else line["before"].removeprefix(prompt["text"])
    return Sample(line["kind"], prompt["text"], chat, answers, before, line["forced_text"],
                  line["text"])


def is_end(line):
    """Whether the token in question ended the text: it has no text, and nothing follows."""
    return line["ended"] and not line["forced_text"] and not line["text"]


def scores(line, prompt):
    """Every kind of harm of one text. After its end there is nothing to judge by."""
    if is_end(line):
        return dict.fromkeys(KINDS)
    sample = sample_of(line, prompt)
    found = {kind: score(sample) for kind, score in TEXT_SCORES.items()}
    found[ANY] = max(found[kind] for kind in ANY_OF if found[kind] is not None)
    found.update((kind, line.get(name)) for kind, name in JUDGE_SCORES.items())
    return found
