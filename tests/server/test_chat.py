"""`hlg chat` without a terminal: it answers, and ends where its input ends."""
import subprocess

import pytest

from program import HLG, ONE_THREAD, clean_env, model_path

CHAT = [HLG, "chat", "-m", model_path("smollm2"), *ONE_THREAD, "-c", "512", "-n", "8"]


@pytest.mark.parametrize("typed", ["", "Hello\n"])
@pytest.mark.parametrize("console", [[], ["--simple-io"]], ids=["console", "simple"])
def test_ends_with_its_input(console, typed):
    done = subprocess.run([*CHAT, *console, "-p", "Say hi."], input=typed, capture_output=True,
                          text=True, env=clean_env(), timeout=30, check=False)
    assert done.returncode == 0
    assert done.stdout.count("> ") >= 1 + bool(typed)
