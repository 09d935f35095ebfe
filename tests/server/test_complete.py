"""`hlg complete`: the seed that it prints repeats the text (case 29), and rows of NaN."""

import re
import shutil

import pytest
from gguf import GGUFReader

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


@pytest.fixture(scope="module")
def nan_model(tmp_path_factory):
    """SmolLM2 with a last norm of NaN, and so with rows of NaN."""
    path = tmp_path_factory.mktemp("nan") / "nan.gguf"
    shutil.copy(model_path("smollm2"), path)
    (norm,) = [t for t in GGUFReader(path, "r+").tensors if t.name == "output_norm.weight"]
    norm.data[:] = float("nan")
    return path


@pytest.mark.parametrize("curve", CURVES)
def test_a_row_of_nan_ends_with_one_line(nan_model, curve):
    done = run_hlg("complete", "-m", str(nan_model), "-p", "Once upon a time", "-n", "16",
                   "-no-cnv", *ONE_THREAD, *CURVES[curve])
    assert done.returncode == 3
    assert done.stdout == "Once upon a time"
    assert done.stderr.endswith("\nhlg: no live token: every token is masked\n")
