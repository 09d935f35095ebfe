"""Speculative decoding draws what it would draw without: a draft model, and n-grams (case 30)."""
from collections import Counter

import pytest

from endpoints import BENT
from program import model_path

# Fewer than 512 cells: attention then adds up in the same order for every batch size.
SMALL = ["-c", "448"]
PROMPTS = ["Once upon a time", "One, two, three, four, five, six, seven,",
           "def add(a, b):\n    return a + b\n\ndef sub(a, b):\n    return",
           "The quick brown fox jumps over the lazy dog. The quick brown fox"]
SETTINGS = {"off": {"enabled": False}, "bent": BENT,
            "entropy log": {"enabled": True, "pivot": "entropy", "toe_shape": "log"}}


@pytest.fixture(scope="module")
def plain(start_server):
    return start_server("smollm2", *SMALL)


@pytest.fixture(scope="module")
def draft(start_server):
    return start_server("smollm2", *SMALL, "--spec-type", "draft-simple", "--threads-draft", "1",
                        "--spec-draft-model", model_path("smollm2"), "--spec-draft-n-max", "4")


@pytest.fixture(scope="module")
def ngram(start_server):
    return start_server("smollm2", *SMALL, "--spec-type", "ngram-simple",
                        "--spec-ngram-simple-size-n", "2", "--spec-ngram-simple-size-m", "4")


def complete(server, prompt, **settings):
    return server.complete(**{"prompt": prompt, "n_predict": 32, "cache_prompt": False,
                              "top_k": 0, "top_p": 1, "min_p": 0, "return_tokens": True,
                              **settings})


@pytest.mark.parametrize("kind", ["draft", "ngram"])
@pytest.mark.parametrize("name", SETTINGS)
def test_greedy_text_is_the_same(request, plain, kind, name):
    server = request.getfixturevalue(kind)
    drafted = 0
    for prompt in PROMPTS:
        how = {"temperature": 0, "hlg": SETTINGS[name]}
        answer = complete(server, prompt, **how)
        assert answer["content"] == complete(plain, prompt, **how)["content"]
        drafted += answer["timings"].get("draft_n", 0)
    assert drafted > 0


@pytest.mark.parametrize("kind, prompt", [("draft", 0), ("ngram", 3)])
@pytest.mark.parametrize("name", SETTINGS)
def test_drawn_text_follows_the_seed(request, plain, kind, prompt, name):
    """One uniform a token, drafted or not: with equal logits a seed gives the same text."""
    server = request.getfixturevalue(kind)
    drafted = 0
    for seed in range(1, 6):
        how = {"temperature": 1, "seed": seed, "hlg": SETTINGS[name]}
        answer = complete(server, PROMPTS[prompt], **how)
        assert answer["tokens"] == complete(plain, PROMPTS[prompt], **how)["tokens"]
        drafted += answer["timings"].get("draft_n", 0)
    assert drafted > 0


@pytest.mark.parametrize("name", SETTINGS)
def test_no_probabilities_of_drafted_tokens(draft, name):
    """llama.cpp's own gap: when it is closed, docs/reference/server.md has to say so."""
    answer = complete(draft, PROMPTS[0], temperature=1, seed=1, hlg=SETTINGS[name], n_probs=3,
                      post_sampling_probs=True)
    reported = [(t["prob"], t["top_probs"]) for t in answer["completion_probabilities"]]
    assert (1, []) in reported


def counts(server, seeds, **how):
    """Of the second token, the first that is drafted, and how many drafts there were.

    A third is asked for, or there would be none: llama.cpp drafts no text's last token.
    """
    answers = [complete(server, "One, two, three, four,", n_predict=3, seed=seed, cache_prompt=True,
                        **how) for seed in seeds]
    return (Counter(answer["tokens"][1] for answer in answers),
            sum(answer["timings"].get("draft_n", 0) for answer in answers))


@pytest.mark.parametrize("name, temperature", [("bent", 1.5), ("entropy log", 0.7)])
def test_law_of_a_drafted_token(plain, draft, name, temperature):
    """Other seeds on either side: two samples of one law, by chi-square with a pooled tail."""
    n, how = 250, {"hlg": SETTINGS[name], "temperature": temperature}
    a, _ = counts(plain, range(n), **how)
    b, drafted = counts(draft, range(1000, 1000 + n), **how)
    assert drafted >= n
    common = [token for token, count in (a + b).items() if count >= 10]
    cells = [(a[t], b[t]) for t in common]
    cells.append((n - sum(x for x, _ in cells), n - sum(y for _, y in cells)))
    cells = [(x, y) for x, y in cells if x + y > 0]
    assert len(cells) > 2
    chi2 = sum((x - y) ** 2 / (x + y) for x, y in cells)
    k = len(cells) - 1  # mean k, variance 2k: six deviations away is beyond chance
    assert chi2 < k + 6 * (2 * k) ** 0.5
