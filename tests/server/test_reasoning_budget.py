"""A reasoning budget ends a thought with HLG on, too: a mask forces the end.

SmolLM2 does not think: its thoughts begin with the comma of a list, and end with END.
"""

import pytest

from endpoints import BENT, NEUTRAL
from local_server import PLAIN

START, END, BUDGET = ",", " END", 4
OFF = {"enabled": False}


def tokenize(server, text):
    return server.post("/tokenize", {"content": text})["tokens"]


def complete(server, seed, **settings):
    return server.complete(prompt="Some fruits: apple", n_predict=20, seed=seed, temperature=1,
                           return_tokens=True, reasoning_budget_tokens=BUDGET,
                           reasoning_budget_start_tag=START, reasoning_budget_end_tags=[END],
                           reasoning_budget_message="", **PLAIN, **settings)["tokens"]


@pytest.mark.parametrize("settings", [
    {"hlg": OFF}, {"hlg": NEUTRAL}, {"hlg": {"enabled": True}}, {"hlg": BENT},
    {"hlg": {"enabled": True, "toe_shape": "log"}},
    {"hlg": BENT, "n_probs": 3, "post_sampling_probs": True},
    {"hlg": BENT, "grammar": "root ::= [a-zA-Z, ]+"},
], ids=str)
def test_end_is_forced(smollm2, settings):
    (start,), end = tokenize(smollm2, START), tokenize(smollm2, END)
    n_thoughts = 0
    for seed in range(8):
        tokens = complete(smollm2, seed, **settings)
        if start in tokens[:10]:
            n_thoughts += 1
            stop = tokens.index(start) + 1 + BUDGET
            assert tokens[stop:stop + len(end)] == end
    assert n_thoughts >= 4


@pytest.mark.parametrize("seed", range(4))
def test_neutral_text(smollm2, seed):
    assert complete(smollm2, seed, hlg=NEUTRAL) == complete(smollm2, seed, hlg=OFF)
