"""Where llama.cpp samples in the compute graph (--backend-sampling), HLG still draws on the CPU."""

import pytest

from endpoints import BENT, NEUTRAL, PROMPT

ASKED = {"prompt": PROMPT, "n_predict": 16, "seed": 7, "temperature": 1, "cache_prompt": False}


@pytest.fixture(scope="module")
def in_graph(start_server):
    return start_server("smollm2", "--backend-sampling", "--log-verbosity", "5")


def graph_tokens(server):
    """How many tokens the graph has drawn; llama.cpp's debug log has a line for each."""
    return server.log_path.read_text().count("Backend sampler selected token")


@pytest.mark.parametrize("hlg", [BENT, {"enabled": True, "pivot": "median"}, NEUTRAL],
                         ids=["bent", "median", "neutral"])
def test_same_text(smollm2, in_graph, hlg):
    sampled = graph_tokens(in_graph)
    text = in_graph.complete(hlg=hlg, **ASKED)["content"]
    assert text and text == smollm2.complete(hlg=hlg, **ASKED)["content"]
    assert graph_tokens(in_graph) == sampled


def test_without_hlg_the_graph_samples(in_graph):
    """So the line that the other test looks for does get written."""
    in_graph.complete(**ASKED)
    assert graph_tokens(in_graph) >= ASKED["n_predict"]
