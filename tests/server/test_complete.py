"""`hlg complete`: the seed that it prints repeats the text (case 29)."""

import re

import pytest

from program import ONE_THREAD, model_path, run_hlg

CURVES = {"neutral": ["--hlg-sampling", "on", "--hlg-width", "off"],
          "bent": ["--hlg-sampling", "on", "--hlg-width", "1", "--hlg-toe-shape", "fade"]}


def complete(*flags):
    """The text, and the seed that was printed."""
    done = run_hlg("complete", "-m", model_path("smollm2"), "-p", "Once upon a time", "-n", "16",
                   "-no-cnv", "--temp", "1.5", *ONE_THREAD, *flags)
    assert done.returncode == 0, done.stderr
    return done.stdout, re.search(r"sampler seed: (\d+)\n", done.stderr).group(1)


@pytest.mark.parametrize("curve", CURVES)
def test_the_printed_seed_repeats_the_text(curve):
    """Case 29."""
    text, seed = complete(*CURVES[curve])
    assert complete(*CURVES[curve], "--seed", seed) == (text, seed)


def test_no_seed_is_a_new_seed():
    (text, seed), (other_text, other_seed) = complete(*CURVES["bent"]), complete(*CURVES["bent"])
    assert seed != other_seed and text != other_text
