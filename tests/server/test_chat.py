"""`hlg chat` without a terminal: it answers, and ends where its input ends."""
import subprocess

import pytest

from program import HLG, ONE_THREAD, clean_env, model_path

CHAT = [HLG, "chat", "-m", model_path("smollm2"), *ONE_THREAD, "-c", "512", "-n", "8",
        "--simple-io"]


@pytest.mark.parametrize("typed", ["", "Hello\n"])
def test_ends_with_its_input(typed):
    done = subprocess.run([*CHAT, "-p", "Say hi."], input=typed, capture_output=True, text=True,
                          env=clean_env(), timeout=60, check=False)
    assert done.returncode == 0
    assert done.stdout.count("> ") >= 1 + bool(typed)
