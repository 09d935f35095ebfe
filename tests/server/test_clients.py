"""The hlg object through the official clients: one meaning on five endpoints (case 21)."""

import math
from array import array

import anthropic
import openai
import pytest
import requests

from clients import parts, prompt, text
from endpoints import BENT, ENDPOINTS, NEUTRAL
from local_server import PLAIN
from program import apply_curve

# Another curve: around the entropy, with a tail that is lifted.
LIFTED = {"enabled": True, "pivot": "entropy", "width": 0.5, "shoulder": 1, "toe": 2,
          "toe_shape": "log"}
N_TOKENS = 8
N_PROBS = 20
# With a seed, as an answer that is part of a character comes without its probabilities.
FIRST_DRAW = {"temperature": 0.8, "seed": 1}
# Where an answer has probabilities, and how they are asked for there.
ASKS_PROBABILITIES = {
    "/completion": {"n_probs": N_PROBS},
    "/v1/completions": {"logprobs": N_PROBS},
    "/v1/chat/completions": {"logprobs": True, "top_logprobs": N_PROBS},
}

on_each_endpoint = pytest.mark.parametrize("path", ENDPOINTS)
streamed_or_not = pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])


@pytest.fixture(scope="module")
def said(smollm2):
    """Asks for a text, once for each way of asking."""
    texts = {}

    def say(path, stream, hlg, temperature=1):
        key = path, stream, str(hlg), temperature
        if key not in texts:
            texts[key] = text(smollm2, path, N_TOKENS, stream, hlg=hlg,
                              **{**PLAIN, "seed": 1, "temperature": temperature})
        return texts[key]

    return say


@on_each_endpoint
@streamed_or_not
def test_bent_text_differs(said, path, stream):
    """Case 21: at one seed."""
    assert said(path, stream, BENT) != said(path, stream, None) != ""


@on_each_endpoint
@streamed_or_not
def test_neutral_text_is_the_plain_one(said, path, stream):
    """Case 7."""
    assert said(path, stream, NEUTRAL) == said(path, stream, None)


@on_each_endpoint
@streamed_or_not
def test_greedy_text_is_the_plain_one(said, path, stream):
    """Case 8."""
    assert said(path, stream, BENT, temperature=0) == said(path, stream, None, temperature=0)


@pytest.mark.parametrize("hlg", [None, BENT, LIFTED], ids=["off", "bent", "lifted"])
def test_one_object_one_text(said, hlg):
    """Case 21: on every endpoint, streamed or not."""
    assert len({said(path, stream, hlg) for path in ENDPOINTS for stream in (False, True)}) == 1


def first_probs(server, path, stream, **settings):
    """Probabilities of the first token by id: the likeliest of those that the sampler draws."""
    def tokens(part):
        if path == "/completion":
            return part.get("completion_probabilities")
        return (part["choices"][0].get("logprobs") or {}).get("content")

    answer = parts(server, path, 1, stream, post_sampling_probs=True, **ASKS_PROBABILITIES[path],
                   **PLAIN, **FIRST_DRAW, **settings)
    first = next(filter(None, map(tokens, answer)))[0]
    return {t["id"]: t["prob"] for t in first["top_probs"]}


@pytest.fixture(scope="module")
def curve_of_the_row(smollm2, tmp_path_factory):
    """Logarithms of the first token's probabilities by `hlg apply` from the model's raw row."""
    n_vocab = smollm2.get("/v1/models")["data"][0]["meta"]["n_vocab"]
    r = smollm2.complete(prompt=prompt(smollm2), n_predict=1, n_probs=n_vocab, **PLAIN,
                         **FIRST_DRAW)
    row = array("f", [float("-inf")]) * n_vocab
    for t in r["completion_probabilities"][0]["top_logprobs"]:
        row[t["id"]] = t["logprob"]
    folder = tmp_path_factory.mktemp("apply")
    return lambda hlg: apply_curve(row, hlg, FIRST_DRAW["temperature"], folder)


@pytest.mark.parametrize("path", ASKS_PROBABILITIES)
@streamed_or_not
@pytest.mark.parametrize("hlg", [BENT, LIFTED], ids=["bent", "lifted"])
def test_probabilities_move_as_the_curve_says(smollm2, curve_of_the_row, path, stream, hlg):
    """Case 21: by more than 0.1 somewhere, and by as much as `hlg apply` computes."""
    off, on = first_probs(smollm2, path, stream), first_probs(smollm2, path, stream, hlg=hlg)
    expected = curve_of_the_row(hlg)
    assert len(on) == N_PROBS
    assert on == {i: pytest.approx(math.exp(expected[i]), rel=1e-4) for i in on}
    assert max(abs(off[i] - on[i]) for i in off.keys() & on.keys()) > 0.1


@pytest.mark.parametrize("path", ENDPOINTS.keys() - ASKS_PROBABILITIES.keys())
@streamed_or_not
def test_first_token_moves(smollm2, path, stream):
    """Case 21, where the answer has no probabilities: the likeliest token's share of 25 draws."""
    def share(hlg):
        drawn = [text(smollm2, path, 1, stream, hlg=hlg, **{**PLAIN, "cache_prompt": True},
                      temperature=0.5, seed=seed) for seed in range(25)]
        return drawn.count("Hello") / len(drawn)

    assert share(None) - share(BENT) > 0.1


def refusal(server, path, stream, **settings):
    """The error that the client raises. A status of 400, and no stream, or it would be another."""
    refused = (openai.BadRequestError, anthropic.BadRequestError, requests.HTTPError)
    with pytest.raises(refused) as caught:
        text(server, path, 1, stream, **settings)
    return caught.value


@on_each_endpoint
@streamed_or_not
@pytest.mark.parametrize("settings, field", [
    ({"hlg": {"width": -1}}, "hlg.width"),
    ({"hlg": {"widht": 3}}, "hlg.widht"),
    ({"hlg": "on"}, "hlg: "),
    ({"hlg": BENT, "mirostat": 2}, "mirostat"),
], ids=["value", "key", "type", "mirostat"])
def test_refused(smollm2, path, stream, settings, field):
    """Case 20 and 23: the error names the field, in the form of llama.cpp's own errors."""
    def form(error):
        body = error.response.json()
        body["error"].pop("message")
        return error.response.status_code, error.response.headers["content-type"], body

    error = refusal(smollm2, path, stream, **settings)
    assert field in error.response.json()["error"]["message"]
    assert form(error) == form(refusal(smollm2, path, stream, temperature="x"))
    if path != "/completion":
        assert field in str(error) and error.type == "invalid_request_error"


MESSAGES_KEYS = {
    "seed": 2, "min_p": 1, "logit_bias": [["Hello", False]], "grammar": 'root ::= "yes"',
    "response_format": {"type": "json_object"}, "stop": ["e"], "hlg": BENT,
}


@pytest.mark.parametrize("key", MESSAGES_KEYS)
def test_messages_take_every_key(smollm2, key):
    """A key that the converter of /v1/messages does not read does there what it does in a chat."""
    def say(path, **more):
        return text(smollm2, path, N_TOKENS,
                    **{**PLAIN, "temperature": 0.8, "seed": 1, **more})

    more = {key: MESSAGES_KEYS[key]}
    assert say("/v1/messages", **more) == say("/v1/chat/completions", **more)
    assert say("/v1/messages", **more) != say("/v1/messages")
