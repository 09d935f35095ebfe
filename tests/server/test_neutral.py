"""Neutral and greedy HLG give llama.cpp's own result, bit for bit (cases 4, 7 and 8)."""

import pytest

from endpoints import BENT, NEUTRAL, PROMPT
from local_server import PLAIN, ranked

# One side of the curve off is not enough: neutral is width off, or shoulder and toe both off.
EXTREME = {"enabled": True, "shoulder": 0.05, "toe": 0.05, "toe_shape": "fade"}
STRAIGHT = {"enabled": True, "shoulder": "off", "toe": "off"}
NEUTRAL_SETTINGS = {
    "width off": NEUTRAL,
    "ends off": STRAIGHT,
    "width off, ends hard": {**EXTREME, "width": "off", "pivot_offset": 40},
    "width off, entropy": {**EXTREME, "width": "off", "pivot": "entropy", "pivot_offset": 40},
    "width off, median": {**EXTREME, "width": "off", "pivot": "median", "toe_shape": "log"},
    "ends off, width 0": {**STRAIGHT, "width": 0, "pivot_offset": 40, "toe_shape": "fade"},
    "ends off, entropy": {**STRAIGHT, "width": 40, "pivot": "entropy", "pivot_offset": 0},
    "ends off, median": {**STRAIGHT, "width": 0, "pivot": "median", "pivot_offset": 40},
}
BENT_SETTINGS = {
    "extreme": BENT,
    "defaults": {"enabled": True},
    "log entropy": {"enabled": True, "pivot": "entropy", "width": 0, "shoulder": 0.05,
                    "toe": 0.05, "toe_shape": "log"},
    "median": {**BENT, "pivot": "median"},
}
PROMPTS = [PROMPT, "The capital of France is"]
N_PREDICT = 24
N_PROBS = 10


def draw(server, **settings):
    """Text, tokens and probabilities of a request, to the last bit."""
    r = server.complete(**{**PLAIN, "n_predict": N_PREDICT, "return_tokens": True, **settings})
    assert r["content"] and r["tokens"]
    return r["content"], r["tokens"], ranked(r.get("completion_probabilities", []))


def settings_that_differ(server, names, **request):
    """Those of the named neutral settings whose result is not the one without HLG."""
    reference = draw(server, **request)
    return [n for n in names if draw(server, hlg=NEUTRAL_SETTINGS[n], **request) != reference]


def some_settings(seed, every):
    """The first setting for each seed, each other one for every n-th seed."""
    first, *others = NEUTRAL_SETTINGS
    return [first] + [n for i, n in enumerate(others) if (seed + i) % every == 0]


def probs_request(seed, temperature=0.8):
    return {"prompt": PROMPTS[seed % len(PROMPTS)], "seed": seed, "temperature": temperature,
            "n_probs": N_PROBS, "post_sampling_probs": True}


@pytest.mark.parametrize("seed", range(1, 21))
def test_neutral_smollm2(smollm2, seed):
    """Case 7."""
    assert settings_that_differ(smollm2, some_settings(seed, 2), **probs_request(seed)) == []


@pytest.mark.parametrize("seed", range(1, 21))
def test_neutral_gemma(gemma, seed):
    """Case 7, with a vocabulary of 262 thousand tokens: text and tokens of each seed."""
    request = {"prompt": PROMPTS[seed % len(PROMPTS)], "seed": seed, "temperature": 0.8}
    assert settings_that_differ(gemma, some_settings(seed, 4), **request) == []


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_neutral_gemma_probabilities(gemma, seed):
    """Case 7, with probabilities; few tokens, since each report of them costs 30 ms."""
    request = {**probs_request(seed), "n_predict": 6}
    assert settings_that_differ(gemma, some_settings(seed, 4), **request) == []


@pytest.mark.parametrize("temperature", [0.2, 1.0, 1.7])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_neutral_at_other_temperatures(smollm2, seed, temperature):
    """Case 7; at temperature 1 neutral HLG is the identity."""
    request = probs_request(seed, temperature)
    assert settings_that_differ(smollm2, some_settings(seed, 3), **request) == []


def test_neutral_without_probabilities(smollm2):
    """Case 7, on the path that reports no probabilities."""
    request = {"prompt": PROMPT, "seed": 1, "temperature": 0.8}
    assert settings_that_differ(smollm2, NEUTRAL_SETTINGS, **request) == []


def test_reference_reports_probabilities(smollm2):
    """The comparisons above are about something: ten probabilities for each token."""
    _, tokens, probs = draw(smollm2, **probs_request(1))
    assert len(tokens) == N_PREDICT and tokens == [token for token, _, _ in probs]
    assert all(len(top) == N_PROBS and 0 < p <= 1 for _, p, top in probs)
    assert any(i for _, _, top in probs for _, i in top)


def greedy(server, **settings):
    return draw(server, prompt=PROMPT, seed=1, **settings)


@pytest.mark.parametrize("temperature", [0, -1])
@pytest.mark.parametrize("name", BENT_SETTINGS)
def test_greedy(smollm2, name, temperature):
    """Case 8: temperature 0 with HLG is temperature 0 without it."""
    expected = greedy(smollm2, temperature=0)
    assert greedy(smollm2, temperature=temperature, hlg=BENT_SETTINGS[name]) == expected


def test_greedy_gemma(gemma):
    """Case 8."""
    assert greedy(gemma, temperature=0, hlg=BENT) == greedy(gemma, temperature=0)


def test_greedy_logs_no_line_per_token(smollm2):
    """Case 8: no warnings repeated per token."""
    before = smollm2.log_path.read_text(errors="replace").count("\n")
    greedy(smollm2, temperature=0, hlg=BENT)
    after = smollm2.log_path.read_text(errors="replace").count("\n")
    assert after - before < N_PREDICT


@pytest.mark.parametrize("temperature", [9e-5, 1e-7, 1e-12, 1e-38, 1e-45])
@pytest.mark.parametrize("hlg", [BENT, NEUTRAL], ids=["bent", "neutral"])
def test_tiny_temperature_is_greedy(smollm2, hlg, temperature):
    """Case 4: below 1e-4 the text is the greedy one, never empty."""
    assert greedy(smollm2, temperature=temperature, hlg=hlg) == greedy(smollm2, temperature=0)


def test_small_temperature_draws(smollm2):
    """Case 4: 1e-2 is above the limit; it works and says something."""
    text, tokens, _ = greedy(smollm2, temperature=1e-2, hlg=BENT)
    assert len(tokens) == N_PREDICT and text.strip()
