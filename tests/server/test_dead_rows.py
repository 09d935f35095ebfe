"""Rows with no or one live token (case 1, over HTTP): bans by logit_bias false are absolute."""

import pytest

from endpoints import BENT, NEUTRAL, PROMPT, error_of, stream_events

pytestmark = pytest.mark.parametrize("hlg", [BENT, NEUTRAL], ids=["bent", "neutral"])


def bans(server, keep=()):
    """A logit_bias that bans the whole vocabulary but `keep`."""
    n_vocab = server.get("/v1/models")["data"][0]["meta"]["n_vocab"]
    return [[i, False] for i in range(n_vocab) if i not in keep]


def say(server, hlg):
    return server.complete(prompt=PROMPT, n_predict=8, seed=1, cache_prompt=False,
                           hlg=hlg)["content"]


def test_no_live_token(smollm2, hlg):
    """An error, and the next request is served as if nothing had happened."""
    before = say(smollm2, hlg)
    r = smollm2.post_raw("/completion", {"prompt": PROMPT, "n_predict": 8, "hlg": hlg,
                                         "logit_bias": bans(smollm2)})
    assert r.status_code == 500
    assert "no live token" in error_of(r)["message"]
    assert say(smollm2, hlg) == before


def test_no_live_token_streamed(smollm2, hlg):
    """The stream carries the error and no text."""
    r = smollm2.post_raw("/completion", {"prompt": PROMPT, "n_predict": 8, "hlg": hlg,
                                         "stream": True, "logit_bias": bans(smollm2)})
    assert "no live token" in r.text
    assert not any(event.get("content") for event in stream_events(r))
    assert smollm2.is_healthy()


def test_one_live_token(smollm2, hlg):
    """That token, each time."""
    token = 665
    r = smollm2.complete(prompt=PROMPT, n_predict=8, hlg=hlg, temperature=1.5, return_tokens=True,
                         logit_bias=bans(smollm2, keep=[token]))
    assert r["tokens"] == [token] * 8


@pytest.mark.parametrize("probs", [{}, {"n_probs": 3}], ids=["", "probs"])
def test_nothing_that_the_grammar_allows(smollm2, hlg, probs):
    """The grammar refuses the first draw, and the bans leave nothing for the second."""
    ask = {"prompt": PROMPT, "n_predict": 8, "hlg": hlg, "grammar": 'root ::= "7"', **probs}
    (seven,) = smollm2.post("/tokenize", {"content": "7"})["tokens"]
    assert smollm2.post("/completion", ask)["content"] == "7"
    r = smollm2.post_raw("/completion", {**ask, "logit_bias": [[seven, False]]})
    assert r.status_code == 500
    assert "no live token" in error_of(r)["message"]
    assert smollm2.is_healthy()
