"""A ban (logit_bias false) is absolute; a bias of -100 is a bias, and a log toe may lift it.

Case 6: the 500 likeliest tokens of a row are banned, or get the bias.
"""

import pytest

from endpoints import PROMPT
from local_server import PLAIN

N_VOCAB = 49152


def first_row(server, **settings):
    """Probability of each token, by id, of the first draw."""
    r = server.complete(prompt=PROMPT, n_predict=1, n_probs=N_VOCAB, post_sampling_probs=True,
                        seed=1, temperature=1, **PLAIN, **settings)
    return {t["id"]: t["prob"] for t in r["completion_probabilities"][0]["top_probs"]}


@pytest.fixture(scope="module")
def likely(smollm2):
    row = first_row(smollm2)
    return sorted(row, key=row.get)[-500:]


@pytest.fixture(scope="module")
def mass(smollm2, likely):
    """The share of the draws that the likely tokens get under a bias."""
    def ask(bias, **hlg):
        row = first_row(smollm2, logit_bias=[[i, bias] for i in likely],
                        hlg={"enabled": True, **hlg})
        return sum(row.get(i, 0) for i in likely)

    return ask


@pytest.mark.parametrize("toe", ["off", 0.05, 6])
@pytest.mark.parametrize("toe_shape", ["log", "fade"])
def test_ban(mass, toe, toe_shape):
    """Case 6: under any toe."""
    assert mass(False, toe=toe, toe_shape=toe_shape) == 0 < mass(0, toe=toe, toe_shape=toe_shape)


@pytest.mark.parametrize("hlg", [{"toe_shape": "fade"}, {"toe_shape": "log", "toe": 4},
                                 {"toe_shape": "log"}], ids=str)
def test_bias(mass, hlg):
    """Case 6: with fade, and with a log toe of 4 nats or more, -100 is as good as a ban."""
    assert mass(-100, **hlg) < 1e-9


def test_bias_under_a_hard_log_toe(mass):
    """Case 6: why a bias is no ban."""
    assert mass(-100, toe=0.05, toe_shape="log") > 1e-6


def test_text_under_a_ban(smollm2, likely):
    """Case 6: 500 tokens, none of them banned."""
    answer = smollm2.complete(prompt=PROMPT, n_predict=500, ignore_eos=True, seed=1, temperature=1,
                              hlg={"enabled": True, "toe": 0.05, "toe_shape": "log"},
                              return_tokens=True,
                              logit_bias=[[i, False] for i in likely], **PLAIN)
    assert len(answer["tokens"]) == 500
    assert set(likely).isdisjoint(answer["tokens"])
