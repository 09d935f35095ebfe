"""Rows gone bad in the middle of one request: it ends with an error, the others finish.

The program is build/bin/hlg_fault_server (tests/fault_server.cc).
"""
from concurrent.futures import ThreadPoolExecutor

import pytest

from endpoints import BENT, PROMPT, error_of, stream_events
from program import REPO, Server, model_path

FAULTS = {"masked": {**BENT, "width": 13.25}, "NaN": {**BENT, "width": 13.5}}
GOOD_ROWS = 7
N_PREDICT = 24
DRAFT = ["--spec-type", "draft-simple", "--threads-draft", "1", "--spec-draft-n-max", "4",
         "--spec-draft-model", model_path("smollm2")]


@pytest.fixture(scope="module", params=[[], DRAFT], ids=["plain", "speculative"])
def server(request, tmp_path_factory):
    log = tmp_path_factory.mktemp("faults") / "log.txt"
    with Server("smollm2", ["-np", "4", *request.param], log,
                program=[str(REPO / "build/bin/hlg_fault_server")]) as server:
        yield server


def body(**settings):
    return {"prompt": PROMPT, "n_predict": N_PREDICT, "ignore_eos": True, "cache_prompt": False,
            **settings}


def good_request(server, seed):
    """Half of them without HLG."""
    return server.complete(**body(seed=seed, hlg=BENT if seed % 2 else None))


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("more", [{}, {"n_probs": 3}], ids=["row", "array"])
def test_only_its_own_request_ends(server, fault, more):
    with ThreadPoolExecutor(4) as pool:
        good = [pool.submit(good_request, server, seed) for seed in range(1, 7)]
        bad = pool.submit(server.post_raw, "/completion", body(hlg=FAULTS[fault], **more))
    assert bad.result().status_code == 500
    assert "no live token" in error_of(bad.result())["message"]
    assert [f.result()["tokens_predicted"] for f in good] == [N_PREDICT] * 6


@pytest.mark.parametrize("fault", FAULTS)
def test_stream_ends_with_an_error_event(server, fault):
    with ThreadPoolExecutor(4) as pool:
        good = [pool.submit(good_request, server, seed) for seed in range(1, 4)]
        bad = pool.submit(server.post_raw, "/completion", body(stream=True, hlg=FAULTS[fault]))
    *texts, last = stream_events(bad.result())
    assert 1 <= len(texts) <= GOOD_ROWS and all("content" in text for text in texts)
    assert "no live token" in last["error"]["message"]
    assert [f.result()["tokens_predicted"] for f in good] == [N_PREDICT] * 3
