"""HLG changes what is drawn, on every endpoint, and the curve is the documented one (case 21)."""

import math

import pytest

from endpoints import BENT, CHAT, ENDPOINTS, NEUTRAL, PROMPT, streamed_chat_text
from local_server import PLAIN

SEEDS = [1, 2, 3]
PEAKED = "The capital of France is"  # a likely first token, where the shoulder takes much
FLAT = "She opened the door and"  # likely tokens on each part of the curve


def first_probs(server, prompt, **settings):
    """Probabilities of the first token by id: the 50 most likely."""
    r = server.complete(prompt=prompt, n_predict=1, n_probs=50, post_sampling_probs=True,
                        **{**PLAIN, "temperature": 1, "seed": 1, **settings})
    return {t["id"]: t["prob"] for t in r["completion_probabilities"][0]["top_probs"]}


@pytest.mark.parametrize("model", ["smollm2", "gemma"])
def test_moves_probabilities(request, model):
    """Case 21: by more than 0.1 somewhere."""
    server = request.getfixturevalue(model)
    off = first_probs(server, PEAKED, temperature=0.8)
    on = first_probs(server, PEAKED, temperature=0.8, hlg=BENT)
    assert max(abs(off[i] - on[i]) for i in off.keys() & on.keys()) > 0.1


def bent(z):
    """The part of the curve, and its value, for BENT at T = 1: d is the distance past a knot."""
    d = abs(z) - 1
    if z > 1:
        return "shoulder", 1 + 0.5 * math.log(1 + 2 * d)
    return ("toe", -1 - d - d * d / 2) if z < -1 else ("middle", z)


def test_each_part_of_the_curve(smollm2):
    """Case 21: a token of each part moves as its part of the curve says; the top lies at z = 3."""
    off, on = first_probs(smollm2, FLAT), first_probs(smollm2, FLAT, hlg=BENT)
    top = max(off, key=off.get)
    seen = set()
    for i in off.keys() & on.keys() - {top}:
        part, value = bent(math.log(off[i] / off[top]) + BENT["pivot_offset"])
        assert math.log(on[i] / on[top]) == pytest.approx(value - bent(3)[1], abs=1e-4)
        seen.add(part)
    assert seen == {"toe", "middle", "shoulder"}


@pytest.mark.parametrize("path", ENDPOINTS)
def test_text_follows_settings(smollm2, path):
    """Case 21: bent differs from off, neutral does not, equal settings give equal text."""
    def texts(**settings):
        return [ENDPOINTS[path].text(smollm2, **{**PLAIN, "seed": s, **settings}) for s in SEEDS]

    off, on = texts(), texts(hlg=BENT)
    assert all(off) and all(on)
    assert on != off
    assert texts(hlg=BENT) == on
    assert texts(hlg=NEUTRAL) == off


def test_streamed_chat_follows_settings(smollm2):
    """Case 21: the stream says what the plain answer says."""
    for hlg in (BENT, None):
        settings = [{**PLAIN, "seed": s, "hlg": hlg} for s in SEEDS]
        streamed = [streamed_chat_text(smollm2, **s) for s in settings]
        assert streamed == [CHAT.text(smollm2, **s) for s in settings]
    assert [streamed_chat_text(smollm2, **{**PLAIN, "seed": s, "hlg": BENT}) for s in SEEDS] \
        != streamed


def test_text_follows_settings_gemma(gemma):
    """Case 21."""
    def texts(**settings):
        asked = [{**PLAIN, "prompt": PROMPT, "n_predict": 8, "seed": s, **settings} for s in SEEDS]
        return [gemma.complete(**a)["content"] for a in asked]

    on = texts(hlg=BENT)
    assert on != texts()
    assert texts(hlg=BENT) == on


@pytest.mark.parametrize("model", ["smollm2", "gemma"])
def test_default_probabilities_are_raw(request, model):
    """Without post_sampling_probs they are the model's own, equal with HLG on and off."""
    server = request.getfixturevalue(model)

    def raw(**settings):
        r = server.complete(prompt=PROMPT, n_predict=1, n_probs=20, **{**PLAIN, **settings})
        return r["completion_probabilities"][0]["top_logprobs"]

    off = raw()
    assert len(off) == 20
    assert raw(hlg=BENT) == off
    assert raw(hlg=BENT, temperature=1.7) == off


def test_default_chat_logprobs_are_raw(smollm2):
    """The same for logprobs of a chat."""
    def raw(**settings):
        r = smollm2.post(CHAT.path, CHAT.body(1, logprobs=True, top_logprobs=10,
                                              **{**PLAIN, **settings}))
        return r["choices"][0]["logprobs"]["content"][0]["top_logprobs"]

    off = raw()
    assert len(off) == 10
    assert raw(hlg=BENT) == off
