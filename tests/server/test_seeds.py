"""A seed repeats its text and another gives another (case 12), on every endpoint."""

import pytest

from endpoints import BENT, ENDPOINTS, NEUTRAL

pytestmark = [pytest.mark.parametrize("path", ENDPOINTS),
              pytest.mark.parametrize("hlg", [BENT, NEUTRAL], ids=["bent", "neutral"])]


def text(server, path, **settings):
    return ENDPOINTS[path].text(server, temperature=1, cache_prompt=False, **settings)


def test_same_seed_same_text(smollm2, path, hlg):
    """Case 12: the same body three times."""
    texts = {text(smollm2, path, hlg=hlg, seed=11111) for _ in range(3)}
    assert len(texts) == 1 and texts != {""}


def test_other_seed_other_text(smollm2, path, hlg):
    """Case 12: at least two distinct texts of three."""
    texts = {text(smollm2, path, hlg=hlg, seed=s) for s in (11111, 22222, 33333)}
    assert len(texts) >= 2
