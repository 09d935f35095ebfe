"""What counts as harm, on texts made for it."""
import unittest

from hlg_lab import score, syntax, words

PYTHON = '''import os
from a.b import c, d as e

class A(B):
    """Doc."""
    x: int = 3

    @property
    def f(self, a, b=2, *args, **kw) -> int:
        for i, j in enumerate(range(10)):
            if a is not None and b not in (1, 2):
                continue
            elif x == "str" or y != 'q':
                y = [k ** 2 for k in range(3) if k % 2]
            else:
                z = lambda u, v: u + v
        try:
            with open("file", 'r') as fh:
                data = {"a": 1, 'b': [1, 2]}
        except (ValueError, OSError) as error:
            raise RuntimeError(f"bad {x!r} {y:3}") from error
        finally:
            pass
        return x if y else not z

def g(n):
    while True:
        n -= 1  # it's a comment
    assert n, "no"
'''
JSON = ('{"name": "A\\u00e9\\n \\"b\\"", "l": [1, -2.5e-3, true, false, null, {}, "\\"["], '
        '"o": {"k": "v"}}')


def sample(**fields):
    return score.Sample(**{"kind": "text", "prompt": "The sea", "chat": False, "answers": [],
                           "before": " is", "forced": " wide", "after": " and blue.", **fields})


class Words(unittest.TestCase):
    def broken(self, before, forced, after, prompt="The sea"):
        text = before + forced + after
        return words.is_broken(text, len(before), len(before) + len(forced), prompt)

    def test_known_words_are_whole(self):
        for before, forced, after in ((" is", " wide", " and"), (" wonder", "ful", " day"),
                                      (" he does", "n't", " go"), ("", " I", "'m"),
                                      (" in", " Paris", "."), (" x", " = 5", ""), ("", "\n\n", "")):
            self.assertFalse(self.broken(before, forced, after), before + forced + after)

    def test_unknown_words_are_broken(self):
        for before, forced, after in (("", " wqide", ""), (" wonder", "kzul", " day"),
                                      (" a", " won", "qerful day"), (" a wonq", " day", "")):
            self.assertTrue(self.broken(before, forced, after), before + forced + after)

    def test_only_the_words_around_the_token_count(self):
        self.assertFalse(self.broken(" qzx,", " wide", ", qzx"))
        self.assertFalse(self.broken(" qzx and", " wide", " qzx"))

    def test_words_of_the_prompt_are_known(self):
        self.assertTrue(self.broken(" and", " Zorblax", " said"))
        self.assertFalse(self.broken(" and", " Zorblax", " said", prompt="zorblax is late"))

    def test_foreign_scripts(self):
        for text in (" \u043c\u043e\u0440\u0435", " \u6d77", " \u03b8", "\ufffd"):
            self.assertTrue(self.broken(" is", text, ""), text)
        self.assertFalse(self.broken(" is", " \u201cwide\u201d \u2014", ""))
        self.assertTrue(self.broken(" is", " \u043c\u043e\u0440\u0435", "", prompt="\u6d77"))
        self.assertEqual(words.scripts("sea \u043c 3"), {"LATIN", "CYRILLIC"})

    def test_signs_are_no_letters(self):
        """Of the micro and the ordinal signs; the Greek mu looks the same."""
        for text in (" 5 \u00b5m", " 1\u00ba", " 100 \u00ba C", " 2\u00aa"):
            self.assertFalse(self.broken(" is", text, " wide"), text)
        self.assertEqual(words.scripts("5 \u00b5m, 1\u00ba, 2\u00aa"), {"LATIN"})
        self.assertTrue(self.broken(" is", " 5 \u03bcm", ""))


class Syntax(unittest.TestCase):
    def test_every_beginning_of_a_whole_text_is_good(self):
        for end in range(1, len(JSON) + 1):
            self.assertTrue(syntax.may_be_json(JSON[:end]), JSON[:end])
        for end in range(len(PYTHON) + 1):
            self.assertTrue(syntax.may_be_python(PYTHON[:end]), PYTHON[:end])

    def test_broken_json(self):
        for text in ('{"a": 1 "b"', "{a", '{"a": tru,', "[1, 2,, ", '{"a" 1', '{"a": zebra', "[1}",
                     '{"a": "\\x'):
            self.assertFalse(syntax.may_be_json(text), text)

    def test_what_follows_whole_json_does_not_count(self):
        self.assertTrue(syntax.may_be_json('{"a": 1}} and so on'))
        self.assertEqual(syntax.json_end('{"a": 1} x'), 8)
        self.assertIsNone(syntax.json_end('{"a": 1'))

    def test_broken_python(self):
        for text in ("x = = 1", "def f(:", "def f():\nreturn 1", "for in x", "x = )", "a b c\n",
                     "def f(n):\n    retrun n\n", "foo(a,,", "if x y z", "x = \0"):
            self.assertFalse(syntax.may_be_python(text), text)


class Scores(unittest.TestCase):
    def test_words_count_in_prose_only(self):
        self.assertEqual(score.broken_word(sample(forced=" wqide")), 1)
        self.assertEqual(score.broken_word(sample()), 0)
        for kind in ("code", "json"):
            self.assertIsNone(score.broken_word(sample(kind=kind, forced=" wqide")))

    def json_score(self, forced, **fields):
        return score.broken_json(sample(**{"kind": "json", "prompt": '{"a": ', "before": '1, "b":',
                                           "forced": forced, "after": "2}", **fields}))

    def test_json(self):
        self.assertEqual(self.json_score(" 4"), 0)
        self.assertEqual(self.json_score(" :"), 1)
        self.assertIsNone(self.json_score(" :", kind="text"))
        self.assertIsNone(self.json_score(" :", before="1} Done"), "it was whole before")
        self.assertIsNone(self.json_score(" :", before="x, "), "it was broken before")
        self.assertIsNone(self.json_score(" :", chat=True, before="Here"), "it has not begun")
        self.assertEqual(self.json_score(" :", chat=True, before='Here: {"b":'), 1)

    def code_score(self, forced, **fields):
        return score.broken_code(sample(**{
            "kind": "code", "prompt": "def f(n):\n", "before": "    return", "forced": forced,
            "after": " 1\n", **fields}))

    def test_code(self):
        self.assertEqual(self.code_score(" n +"), 0)
        self.assertEqual(self.code_score(" n )"), 1)
        self.assertIsNone(self.code_score(" n )", kind="json"))
        self.assertIsNone(self.code_score(" n )", before="    retrun n n"), "broken before")
        self.assertIsNone(self.code_score(" n )", chat=True), "a chat's code is in a fence")

    def test_code_in_a_fence(self):
        fenced = {"chat": True, "prompt": "Add!", "before": "Here:\n```python\nx = 1\nx +="}
        self.assertEqual(self.code_score(" 2", after="\n```\nThat is = all", **fenced), 0)
        self.assertEqual(self.code_score(" )", **fenced), 1)
        fenced["before"] += " 1\n```\nx +="
        self.assertIsNone(self.code_score(" )", **fenced), "the fence is closed")

    def test_answers(self):
        def wrong(text, answer, before=""):
            return score.wrong_answer(sample(answers=[answer], before=before, forced=text[:1],
                                             after=text[1:]))
        self.assertEqual(wrong(" is 42.", "42"), 0)
        self.assertEqual(wrong(" is 42.0!", "42"), 0)
        self.assertEqual(wrong(" is 1,042", "1042"), 0)
        self.assertEqual(wrong(" 15-28 is 43", "43"), 0)
        self.assertEqual(wrong(" is 142", "42"), 1)
        self.assertEqual(wrong(" is -42", "42"), 1)
        self.assertEqual(wrong(" it is ROME.", "Rome"), 0)
        self.assertEqual(wrong(" Jerome", "Rome"), 1)
        self.assertIsNone(wrong(" Milan", "Rome", before=" Rome. No,"), "it was given before")
        self.assertIsNone(score.wrong_answer(sample()))

    def test_repeats(self):
        line = " the cat sat down."
        self.assertEqual(score.repeated(sample(before=line, forced=" the", after=line[4:])), 0)
        self.assertEqual(score.repeated(sample(before=2 * line, forced=" the", after=line[4:])), 1)
        self.assertEqual(score.repeated(sample(before=3 * line)), 0, "it was there before")

    def test_all_scores_of_a_line(self):
        line = {"kind": "maths", "before": "40 + 2 = 42, and 6 times 7 is", "text": " I think",
                "forced_text": " fqrty", "ended": True, "judge_nll_forced": 4.5}
        prompt = {"text": "40 + 2 = 42, and 6 times 7 is", "answer": 42}
        self.assertEqual(score.scores(line, prompt), {
            "any": 1, "broken_word": 1, "broken_json": None, "broken_code": None,
            "wrong_answer": 1, "repeated": 0, "judge_forced": 4.5, "judge_rest": None})
        line["forced_text"] = " well"
        self.assertEqual((score.scores(line, prompt)["wrong_answer"],
                          score.scores(line, prompt)["any"]), (1, 0))
        line.update(forced_text=" 42", text=" it is")
        self.assertEqual(score.scores(line, prompt)["any"], 0)

    def test_the_end_of_a_text_is_not_scored(self):
        line = {"kind": "text", "before": "The sea is", "forced_text": "", "text": "",
                "ended": True, "judge_nll_forced": 4.5}
        prompt = {"text": "The sea"}
        self.assertEqual(score.scores(line, prompt), dict.fromkeys(score.KINDS))
        self.assertEqual(score.scores({**line, "ended": False}, prompt)["any"], 0)
        self.assertEqual(score.scores({**line, "forced_text": " wqide"}, prompt)["any"], 1)
        self.assertEqual(score.scores({**line, "text": " wide."}, prompt)["any"], 0)


if __name__ == "__main__":
    unittest.main()
