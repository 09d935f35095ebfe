"""A model file that cannot be loaded: one line, exit status 1, from every program."""
from pathlib import Path

import pytest

from local_server import free_port
from program import model_path, run_hlg

COMMANDS = {
    "serve": ["serve", "--port", str(free_port())],
    "complete": ["complete", "-p", "Hi", "-n", "1"],
    "chat": ["chat", "-p", "Hi", "-n", "1"],
}


def cut(path, n_bytes):
    path.write_bytes(Path(model_path("smollm2")).read_bytes()[:n_bytes])


CASES = {
    "absent": (lambda path: None, "No such file or directory"),
    "folder": (lambda path: path.mkdir(), "is a directory"),
    "text": (lambda path: path.write_text("no model\n"), "is not a GGUF file"),
    "empty": (lambda path: path.touch(), "is not a GGUF file"),
    "header only": (lambda path: cut(path, 1000), "its header is damaged or cut off"),
    "cut off": (lambda path: cut(path, 98_000_000),
                "is cut off: has 98000000 of 98362432 bytes"),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("case", CASES)
def test_says_what_is_wrong(command, case, tmp_path):
    make, why = CASES[case]
    path = tmp_path / "model.gguf"
    make(path)
    done = run_hlg(*COMMANDS[command], "-m", str(path))
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(f"hlg: model file {path}: {why}")
    assert done.stderr.count("rror") == 0
