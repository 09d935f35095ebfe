"""What must not end the server: rows and bodies that once did, and their like."""

import pytest

from endpoints import BENT, CHAT, MESSAGES, PROMPT, error_of
from program import Server

ON = {"enabled": True}
YES = 665  # any token that the grammar below does not allow


@pytest.mark.parametrize("hlg", [ON, BENT, {**ON, "pivot": "entropy"}, {**ON, "pivot": "median"}])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_infinite_bias_refused_by_a_grammar(smollm2, hlg, seed):
    """A +inf row gives the first draw; the grammar refuses it; the second draw stays allowed."""
    r = smollm2.post("/completion", {
        "prompt": PROMPT, "n_predict": 4, "seed": seed, "hlg": hlg,
        "grammar": 'root ::= "yes" | "no"', "logit_bias": [[YES, 1e39]]})
    assert r["content"] in ("yes", "no")


def test_infinite_bias_and_json(smollm2):
    r = smollm2.post_raw(CHAT.path, {
        "messages": MESSAGES, "max_tokens": 40, "hlg": ON, "seed": 1,
        "response_format": {"type": "json_object"}, "logit_bias": {str(YES): 1e39}})
    assert r.status_code in (200, 500)
    assert smollm2.is_healthy()


@pytest.mark.parametrize("value", ["[" * 100000 + "]" * 100000,
                                   '{"a":' * 100000 + "1" + "}" * 100000])
@pytest.mark.parametrize("place", ['{"prompt":"a","hlg":{"width":%s}}', '{"prompt":"a","hlg":%s}',
                                   '{"prompt":"a","hlg":{"other":%s}}'])
def test_deep_nesting(smollm2, place, value):
    r = smollm2.post_raw("/completion", place % value)
    assert r.status_code == 400
    assert len(r.text) < 500
    assert smollm2.is_healthy()


def test_long_values_are_cut_short(smollm2):
    r = smollm2.post_raw("/completion", {"prompt": "a", "hlg": {"toe_shape": "x" * 2000000}})
    assert r.status_code == 400
    assert len(r.text) < 500


@pytest.mark.parametrize("hlg", [{"width\0x": 3}, {"toe_shape": "fade\0x"}, {"toe": "off\0"}])
def test_embedded_nul(smollm2, hlg):
    r = smollm2.post_raw("/completion", {"prompt": "a", "hlg": hlg})
    assert r.status_code == 400
    assert "hlg." in error_of(r)["message"]


def test_nul_as_a_key(smollm2):
    r = smollm2.post_raw("/completion", {"prompt": "a", "hlg": {"\0": 3}})
    assert r.status_code == 400
    assert 'hlg."\\u0000": unknown; ' in error_of(r)["message"]


@pytest.mark.parametrize("key", ["wid\nth", "\u00e9t\u00e9" * 20, "a" + "\u00e9" * 30])
def test_odd_keys_are_named_in_one_line_of_text(smollm2, key):
    r = smollm2.post_raw("/completion", {"prompt": "a", "hlg": {key: 3}})
    assert r.status_code == 400
    message = error_of(r)["message"]
    assert "hlg." in message and ": unknown; " in message
    assert "\n" not in message and "\ufffd" not in message


@pytest.mark.parametrize("flags, line", [
    (["--hlg-sampling", "on", "--hlg-toe", "3"], 'hlg: on {"enabled":true,"pivot":"top"'),
    (["--hlg-toe", "3"], "no effect without --hlg-sampling on"),
    ([], "hlg: off")])
def test_start_up_line(tmp_path, flags, line):
    server = Server("smollm2", flags, tmp_path / "log")
    try:
        log = (tmp_path / "log").read_text()
        assert log.count("hlg: o") == 1
        assert line in log
    finally:
        server.stop()
