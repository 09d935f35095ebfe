"""Rows gone bad in the middle of one request: it ends with an error where nothing is left to draw,
and goes on where something is; the others finish.

The program is build/bin/hlg_fault_server (tests/fault_server.cc), which knows a fault by its seed.
"""
import itertools
from concurrent.futures import ThreadPoolExecutor

import pytest

from endpoints import BENT, NEUTRAL, PROMPT, error_of, stream_events
from program import REPO, Server, model_path

DEAD = {"masked": 71000001, "NaN": 71000002}
SOME_NAN, INFINITE, FIRST_INFINITE = 71000003, 71000004, 100
EVERY = 8  # the period of the bad rows
N_PREDICT = 24
CURVES = {"bent": BENT, "neutral": NEUTRAL}
# How a bent HLG gets a row: as the model left it, or as candidates, which a bias may have edited.
WAYS = {"row": {}, "edited": {"ignore_eos": True}, "probs": {"n_probs": 3},
        "drawn probs": {"n_probs": 3, "post_sampling_probs": True}}
DRAFT = ["--spec-type", "draft-simple", "--threads-draft", "1", "--spec-draft-n-max", "4",
         "--spec-draft-model", model_path("smollm2")]


@pytest.fixture(scope="module", params=[[], DRAFT], ids=["plain", "speculative"])
def server(request, tmp_path_factory):
    log = tmp_path_factory.mktemp("faults") / "log.txt"
    with Server("smollm2", ["-np", "4", *request.param], log,
                program=[str(REPO / "build/bin/hlg_fault_server")]) as server:
        server.drafts = bool(request.param)
        yield server


def body(**settings):
    return {"prompt": PROMPT, "n_predict": N_PREDICT, "cache_prompt": False, **settings}


def among_others(server, n_others, **settings):
    """The response to a request beside `n_others` good ones, half of them without HLG."""
    with ThreadPoolExecutor(4) as pool:
        good = [pool.submit(server.complete, **body(seed=seed, ignore_eos=True, hlg=hlg))
                for seed, hlg in zip(range(1, 1 + n_others), itertools.cycle([BENT, None]))]
        bad = pool.submit(server.post_raw, "/completion", body(**settings))
    answers = [f.result() for f in good]
    assert [a["tokens_predicted"] for a in answers] == [N_PREDICT] * n_others
    assert all(("draft_n" in a["timings"]) == server.drafts for a in answers)
    return bad.result()


@pytest.mark.parametrize("fault, curve, way", itertools.product(DEAD, CURVES, WAYS))
def test_only_its_own_request_ends(server, fault, curve, way):
    answer = among_others(server, 3, seed=DEAD[fault], hlg=CURVES[curve], **WAYS[way])
    assert answer.status_code == 500
    assert "no live token" in error_of(answer)["message"]


@pytest.mark.parametrize("fault, way", itertools.product(DEAD, ["row", "edited"]))
def test_stream_ends_with_an_error_event(server, fault, way):
    """Behind all good rows; with drafts, those that were checked together with the bad one go."""
    answer = among_others(server, 3, seed=DEAD[fault], hlg=BENT, stream=True, **WAYS[way])
    *texts, last = stream_events(answer)
    assert all("content" in text for text in texts)
    assert 1 <= len(texts) <= EVERY - 1 if server.drafts else len(texts) == EVERY - 1
    assert "no live token" in last["error"]["message"]


@pytest.mark.parametrize("curve, way", itertools.product(CURVES, WAYS))
def test_what_is_left_is_drawn(server, curve, way):
    """A row with NaN but at each third token gives such a one, one with +inf the first of these."""
    how = {"hlg": CURVES[curve], "return_tokens": True, **WAYS[way]}
    third = among_others(server, 3, seed=SOME_NAN, **how).json()["tokens"]
    assert len(third) == N_PREDICT
    assert [token % 3 for token in third[EVERY - 1::EVERY]] == [1] * 3
    infinite = among_others(server, 3, seed=INFINITE, **how).json()["tokens"]
    assert len(infinite) == N_PREDICT
    assert infinite[EVERY - 1::EVERY] == [FIRST_INFINITE] * 3
