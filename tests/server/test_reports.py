"""What the server says about its settings: resolved values and the samplers that run."""

import pytest

from endpoints import BENT, PROMPT

DEFAULTS = {"enabled": False, "pivot": "top", "pivot_offset": 6, "width": 4, "shoulder": 4,
            "toe": 6, "toe_shape": "fade"}
SERVER_FLAGS = ["--hlg-sampling", "on", "--hlg-pivot", "median", "--hlg-shoulder", "off",
                "--hlg-toe", "2.5", "--hlg-toe-shape", "log",
                "--samplers", "dry;top_k;temperature"]
SERVER_SETTINGS = {"enabled": True, "pivot": "median", "pivot_offset": 0, "width": 4,
                   "shoulder": "off", "toe": 2.5, "toe_shape": "log"}


@pytest.fixture(scope="module")
def flagged(start_server):
    """A server with HLG on and a sampler list of its own."""
    return start_server("smollm2", *SERVER_FLAGS)


def settings(server, **request):
    r = server.complete(prompt=PROMPT, n_predict=1, **request)
    return r["generation_settings"]


def defaults(server):
    return server.get("/props")["default_generation_settings"]["params"]


def test_off_by_default(smollm2):
    assert settings(smollm2)["hlg"] == DEFAULTS
    assert defaults(smollm2)["hlg"] == DEFAULTS


@pytest.mark.parametrize("pivot, offset", [("top", 6), ("entropy", 0), ("median", 0)])
def test_offset_follows_pivot(smollm2, pivot, offset):
    """An offset that nobody set is resolved last; one that was set stays."""
    hlg = {"enabled": True, "pivot": pivot}
    assert settings(smollm2, hlg=hlg)["hlg"] == {**DEFAULTS, **hlg, "pivot_offset": offset}
    hlg["pivot_offset"] = 2.5
    assert settings(smollm2, hlg=hlg)["hlg"] == {**DEFAULTS, **hlg}


def test_values_of_the_request(smollm2):
    others = {"width": "off", "shoulder": "off", "toe": "off", "toe_shape": "log"}
    for hlg in (BENT, {**BENT, **others}):
        assert settings(smollm2, hlg=hlg)["hlg"] == {**DEFAULTS, **hlg}


def test_knobs_without_enabled(smollm2):
    """Knobs given while HLG stays off are reported, with enabled false."""
    r = settings(smollm2, hlg={"width": 2})
    assert r["hlg"] == {**DEFAULTS, "width": 2}
    assert r["samplers"] == defaults(smollm2)["samplers"]


@pytest.mark.parametrize("hlg", [None, {}, dict.fromkeys(DEFAULTS)], ids=["null", "empty", "nulls"])
@pytest.mark.parametrize("server, expected", [("smollm2", DEFAULTS), ("flagged", SERVER_SETTINGS)])
def test_null_means_the_servers(request, server, expected, hlg):
    """Case 19: also null for temperature and seed."""
    server = request.getfixturevalue(server)
    r = settings(server, hlg=hlg, temperature=None, seed=None)
    assert r["hlg"] == expected
    assert all(r[key] == defaults(server)[key] for key in ("temperature", "seed"))


def test_flags(flagged):
    assert defaults(flagged)["hlg"] == SERVER_SETTINGS
    assert defaults(flagged)["samplers"] == ["dry", "hlg"]


def test_request_over_flags(flagged):
    """Field by field; other requests keep the server's values."""
    hlg = {"toe": "off", "width": 1}
    assert settings(flagged, hlg=hlg)["hlg"] == {**SERVER_SETTINGS, **hlg}
    off = settings(flagged, hlg={"enabled": False})
    assert off["hlg"] == {**SERVER_SETTINGS, "enabled": False}
    assert off["samplers"] == ["dry", "top_k", "temperature"]
    assert settings(flagged)["hlg"] == SERVER_SETTINGS


def test_sampler_list(smollm2):
    """With HLG on what replaces it is dropped; with HLG off the list is untouched."""
    off = settings(smollm2)["samplers"]
    assert off == defaults(smollm2)["samplers"]
    assert {"top_k", "top_p", "min_p", "temperature"} <= set(off) and "hlg" not in off
    assert settings(smollm2, hlg=BENT)["samplers"] == ["penalties", "dry", "hlg"]


@pytest.mark.parametrize("given, reported", [
    (["dry", "top_k", "penalties"], ["dry", "penalties", "hlg"]),
    (["top_k", "temperature"], ["hlg"]),
    (["hlg", "penalties", "hlg"], ["penalties", "hlg"]),
    ([], ["hlg"]),
])
def test_sampler_list_of_the_request(smollm2, given, reported):
    """Penalties and dry stay in their order; hlg inside is accepted and ignored."""
    assert settings(smollm2, samplers=given, hlg=BENT)["samplers"] == reported


@pytest.mark.parametrize("server", ["smollm2", "flagged"])
@pytest.mark.parametrize("given", [["hlg"], ["penalties", "dry", "hlg"], ["top_k", "hlg"]])
def test_hlg_in_the_list_does_not_turn_it_on(request, server, given):
    """With HLG off such a list stands for the server's own, and draws as that one does."""
    server = request.getfixturevalue(server)
    asked = {"prompt": PROMPT, "n_predict": 16, "seed": 7, "temperature": 1.5,
             "cache_prompt": False, "hlg": {"enabled": False}}
    own, echoed = server.complete(**asked), server.complete(samplers=given, **asked)
    for r in (own, echoed):
        assert r["generation_settings"]["hlg"]["enabled"] is False
        assert "hlg" not in r["generation_settings"]["samplers"]
    assert echoed["generation_settings"]["samplers"] == own["generation_settings"]["samplers"]
    assert echoed["content"] == own["content"]


def test_list_without_hlg_is_untouched(smollm2):
    given = ["top_k", "penalties", "temperature"]
    assert settings(smollm2, samplers=given)["samplers"] == given


def test_top_k_is_replaced(smollm2):
    """Case 9: top_k 1 with HLG at T 1.5 is not greedy, and the reported list says why."""
    def ask(**more):
        return [smollm2.complete(prompt=PROMPT, n_predict=12, top_k=1, temperature=1.5,
                                 cache_prompt=False, seed=s, **more) for s in (1, 2, 3)]

    plain, hlg = ask(), ask(hlg=BENT)
    assert len({r["content"] for r in plain}) == 1
    assert len({r["content"] for r in hlg}) > 1
    assert "top_k" not in hlg[0]["generation_settings"]["samplers"]
