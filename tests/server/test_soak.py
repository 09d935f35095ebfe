"""Case 18: 32 clients, 20 requests of each, every kind and setting; and what its script refuses."""
import runpy
import subprocess

import pytest

from program import REPO


def run(script, *args):
    return subprocess.run([str(REPO / "scripts" / script), *args], capture_output=True, text=True,
                          timeout=900, check=False)


def test_soak(tmp_path):
    done = run("soak", "--out", str(tmp_path / "soak.md"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "| faults | 0 |" in (tmp_path / "soak.md").read_text()


@pytest.mark.parametrize("data", ['{"error":{"code":500}}', '{"code":500,"message":"dead row"}'])
def test_an_error_in_a_stream_is_a_fault(data):
    """As the data of all endpoints, and of /v1/messages."""
    check = runpy.run_path(str(REPO / "scripts/soak"))["check_stream"]
    end = '{"content":"a","stop":true}'
    assert check("/completion", [end]) is None
    assert data in check("/completion", [data, end])


@pytest.mark.parametrize("path", ["/completion", "/v1/completions", "/v1/chat/completions",
                                  "/v1/responses", "/v1/messages"])
def test_a_stream_without_its_end_is_a_fault(path):
    check = runpy.run_path(str(REPO / "scripts/soak"))["check_stream"]
    assert check(path, []) == "the stream ends with no event"
    assert check(path, ['{"content":"a","stop":false}']).startswith("the stream ends with {")


@pytest.mark.parametrize("script, args, line", [
    ("gate", ["smollm2", "no/such.gguf"], "hlg: no such file: no/such.gguf\n"),
    ("gate", ["--out", "no/such/folder.md"], "hlg: --out: no such folder: no/such\n"),
    ("gate", ["--out", "/"], "hlg: --out: is a folder: /\n"),
    ("soak", ["--out", "/"], "hlg: --out: is a folder: /\n"),
])
def test_refused_before_any_work(script, args, line):
    done = run(script, *args)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", line)
