"""What /metrics counts: requests with HLG on, tokens drawn, rows without a live token."""
import pytest

from endpoints import BENT, PROMPT
from test_dead_rows import bans

NAMES = ["hlg:requests_total", "hlg:tokens_drawn_total", "hlg:degenerate_rows_total"]


@pytest.fixture(scope="module")
def server(start_server):
    return start_server("smollm2", "--metrics")


def counters(server):
    lines = server.get_text("/metrics").splitlines()
    values = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    return [int(values[name]) for name in NAMES]


def growth(server, **request):
    before = counters(server)
    server.post_raw("/completion", {"prompt": PROMPT, "ignore_eos": True, **request})
    return [after - b for after, b in zip(counters(server), before)]


def test_counts_what_hlg_draws(server):
    assert growth(server, n_predict=5, hlg=BENT) == [1, 5, 0]
    assert growth(server, n_predict=5, hlg=BENT, n_probs=3) == [1, 5, 0]


def test_does_not_count_without_hlg(server):
    assert growth(server, n_predict=5) == [0, 0, 0]


def test_counts_a_dead_row(server):
    assert growth(server, n_predict=5, hlg=BENT, logit_bias=bans(server)) == [1, 0, 1]


def test_does_not_count_a_refused_request(server):
    assert growth(server, hlg={"width": -1, **BENT, "toe": "x"}) == [0, 0, 0]


def test_names_and_types(server):
    text = server.get_text("/metrics")
    for name in NAMES:
        assert f"# TYPE {name} counter" in text
