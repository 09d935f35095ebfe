"""Bad requests get a 400 that names the field, on every endpoint, and the server lives."""

import json

import pytest

from endpoints import BENT, ENDPOINTS, KNOBS, NEUTRAL, PROMPT, error_of

BAD_FOR_ALL = ["0.5", [], {}, -1, 1e39, 5000]
BAD = {
    "enabled": [*BAD_FOR_ALL, "on", "true", 0, 1, 1e-40],
    "pivot": [*BAD_FOR_ALL, True, "Top", "", "off", 1e-40, 0],
    "pivot_offset": [*BAD_FOR_ALL, True, "off", "", 40.1],
    "width": [*BAD_FOR_ALL, True, "Off", "", "inf", "none", 40.1],
    "shoulder": [*BAD_FOR_ALL, True, "Off", "", 0, 1e-40, 0.0499, 1000.1],
    "toe": [*BAD_FOR_ALL, True, "OFF", "", 0, 1e-40, 0.0499, 1000.1],
    "toe_shape": [*BAD_FOR_ALL, True, "Log", "", "off", 1e-40, 0],
}
LEGAL = {
    "enabled": [True, False],
    "pivot": ["top", "entropy", "median"],
    "pivot_offset": [0, 40, 0.5, 1e-40],
    "width": [0, 40, 0.5, 1e-40, "off"],
    "shoulder": [0.05, 1000, "off"],
    "toe": [0.05, 1000, "off"],
    "toe_shape": ["log", "fade"],
}

on_each_endpoint = pytest.mark.parametrize("path", ENDPOINTS)


def knob_values(table):
    return [pytest.param(k, v, id="%s=%s" % (k, json.dumps(v))) for k in KNOBS for v in table[k]]


def send(server, path, **settings):
    return server.post_raw(path, ENDPOINTS[path].body(1, **settings))


def assert_refused(response, field):
    assert response.status_code == 400, response.text
    assert field in error_of(response)["message"]


@on_each_endpoint
@pytest.mark.parametrize("knob, value", knob_values(BAD))
def test_bad_value(smollm2, path, knob, value):
    """Case 20, also while HLG stays off."""
    for others in ({}, {"enabled": True}):
        assert_refused(send(smollm2, path, hlg={**others, knob: value}), "hlg." + knob)


@pytest.mark.parametrize("knob, value", knob_values(LEGAL))
def test_legal_value(smollm2, knob, value):
    """Case 20: the ends of each range are inside; the report says the same value."""
    hlg = {"enabled": True, knob: value}
    report = smollm2.complete(prompt=PROMPT, n_predict=1, hlg=hlg)["generation_settings"]["hlg"]
    assert report[knob] == value


@on_each_endpoint
@pytest.mark.parametrize("hlg", ["on", "off", "", [], [BENT], True, False, 3], ids=json.dumps)
def test_not_an_object(smollm2, path, hlg):
    """Case 20."""
    r = send(smollm2, path, hlg=hlg)
    assert_refused(r, "hlg")
    assert "object" in error_of(r)["message"]


@on_each_endpoint
@pytest.mark.parametrize("key", ["widht", "Width", "gain", ""])
@pytest.mark.parametrize("value", [3, None])
def test_unknown_key(smollm2, path, key, value):
    """Case 20: named, next to good keys too."""
    r = send(smollm2, path, hlg={"enabled": True, "width": 3, key: value})
    assert_refused(r, "hlg." + key)
    assert "unknown" in error_of(r)["message"]


@on_each_endpoint
@pytest.mark.parametrize("hlg", [None, {}, dict.fromkeys(KNOBS)], ids=["null", "empty", "nulls"])
def test_null_is_absent(smollm2, path, hlg):
    """Case 19."""
    r = send(smollm2, path, hlg=hlg, temperature=None, seed=None)
    assert r.status_code == 200, r.text


@on_each_endpoint
@pytest.mark.parametrize("mirostat", [1, 2])
def test_mirostat(smollm2, path, mirostat):
    """Case 23: both replace the sampler; with HLG off mirostat is fine."""
    r = send(smollm2, path, mirostat=mirostat, hlg=BENT)
    assert_refused(r, "mirostat")
    assert "hlg" in error_of(r)["message"]
    off = send(smollm2, path, mirostat=mirostat, hlg={**BENT, "enabled": False})
    assert off.status_code == 200, off.text


@pytest.mark.parametrize("flags, request_body", [
    (["--mirostat", "2"], {"hlg": BENT}), (["--hlg-sampling", "on"], {"mirostat": 2}),
], ids=["mirostat by flag", "hlg by flag"])
def test_mirostat_of_two_levels(start_server, flags, request_body):
    """Case 23: what counts is what holds after all levels."""
    server = start_server("smollm2", *flags)
    r = send(server, "/completion", **request_body)
    assert_refused(r, "mirostat")
    assert "hlg" in error_of(r)["message"]
    assert send(server, "/completion").status_code == 200


@on_each_endpoint
@pytest.mark.parametrize("hlg", [BENT, NEUTRAL], ids=["bent", "neutral"])
@pytest.mark.parametrize("ban", [None, [[28, False]]], ids=["", "ban"])
def test_temperature_beyond_float(smollm2, path, hlg, ban):
    """Case 5: alone and with a banned token."""
    assert_refused(send(smollm2, path, temperature=1e39, logit_bias=ban, hlg=hlg), "temperature")
    assert smollm2.is_healthy()


@on_each_endpoint
def test_body_that_does_not_parse(smollm2, path):
    """Case 20: an error, whatever its number."""
    body = json.dumps(ENDPOINTS[path].body(1, hlg={"enabled": True, "width": 12345}))
    r = smollm2.post_raw(path, body.replace("12345", "1e999"))
    assert r.status_code >= 400
    assert "1e999" in error_of(r)["message"]


ODD_BIAS = {"99999999": 5, "-1": 5, "abc": -100}


@on_each_endpoint
@pytest.mark.parametrize("bias", [ODD_BIAS, *({k: v} for k, v in ODD_BIAS.items())], ids=json.dumps)
def test_odd_logit_bias(smollm2, path, bias):
    """Case 22: what is not a token of the vocabulary is taken and moves no token of it.

    "abc" is a text and stands for its tokens, which are far from being drawn here.
    """
    def text(**settings):
        return ENDPOINTS[path].text(smollm2, temperature=0, cache_prompt=False, **settings)

    assert text(logit_bias=bias, hlg=BENT) == text(hlg=BENT)
    assert smollm2.is_healthy()


def test_refused_stream(smollm2):
    """A bad value in a request for a stream is a plain 400."""
    assert_refused(send(smollm2, "/completion", stream=True, hlg={"width": -1}), "hlg.width")


def test_server_lives(smollm2):
    """After all of the above it is the same process, and it answers."""
    assert smollm2.process.poll() is None
    assert smollm2.complete(prompt=PROMPT, n_predict=8, hlg=BENT)["tokens_predicted"] > 0
