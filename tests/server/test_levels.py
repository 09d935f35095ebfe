"""Where a setting may be given, and which place wins, field by field (case 28)."""
import os
import shutil
import subprocess

import pytest

from endpoints import KNOBS, PROMPT
from knobs import TABLE, environment, flags, write_config
from model_keys import copy_with_settings
from program import HLG, Server, model_path, run_hlg

# From the weakest to the strongest; the request is above them all.
LEVELS = ["model file", "system config", "user config", "environment", "flag"]

CHOICES = {key: [True, False] if knob["kind"] == "switch" else knob["choices"]
           for key, knob in TABLE.items() if "choices" in knob}


def value(knob, level):
    """Another one at each level, or at least at each level next to it."""
    if knob in CHOICES:
        return CHOICES[knob][level % len(CHOICES[knob])]
    return 1 + level / 2


def other_etc(folder):
    """A command that runs its arguments with `folder` as /etc, which only they see."""
    return ["unshare", "--user", "--mount", "--map-root-user", "sh", "-c",
            'mount --bind "$0" /etc && exec "$@"', str(folder)]


@pytest.fixture(scope="module")
def can_change_etc(tmp_path_factory):
    probe = [*other_etc(tmp_path_factory.mktemp("etc")), "true"]
    if not shutil.which("unshare") or subprocess.run(probe, check=False).returncode:
        pytest.skip("no mount namespaces here, so /etc cannot be changed for one process")


@pytest.fixture
def model_with(tmp_path):
    """Makes a copy of SmolLM2 with settings in it, removed afterwards: it is large."""
    path = tmp_path / "model.gguf"

    def make(settings):
        copy_with_settings(model_path("smollm2"), path, settings)
        return str(path)

    yield make
    path.unlink()


def serve(folder, model, given):
    """A server with the settings given = {level: {knob: value}}, of which model holds its own."""
    write_config(folder / "config", given["user config"])
    shutil.copytree("/etc", folder / "etc", symlinks=True,
                    ignore=lambda *_: {"llama.cpp", "shadow", "gshadow", "ssl"})
    write_config(folder / "etc", given["system config"])
    return Server(model, flags(given["flag"]), folder / "log.txt",
                  program=[*other_etc(folder / "etc"), HLG],
                  env={**environment(given["environment"]),
                       "XDG_CONFIG_HOME": str(folder / "config")})


def reported(server, **request):
    answer = server.complete(prompt=PROMPT, n_predict=1, **request)
    return answer["generation_settings"]["hlg"]


@pytest.mark.parametrize("turn", range(len(LEVELS)))
def test_the_stronger_level_wins(can_change_etc, tmp_path, model_with, turn):
    """Each knob is given at all levels up to one of its own, another one in each turn."""
    strongest = {knob: (i + turn) % len(LEVELS) for i, knob in enumerate(KNOBS)}
    given = {name: {knob: value(knob, level) for knob in KNOBS if level <= strongest[knob]}
             for level, name in enumerate(LEVELS)}
    expected = {knob: value(knob, level) for knob, level in strongest.items()}
    request = {knob: value(knob, strongest[knob] + 1) for knob in KNOBS[turn % 2::2]}
    with serve(tmp_path, model_with(given["model file"]), given) as server:
        props = server.get("/props")["default_generation_settings"]["params"]["hlg"]
        assert props == expected
        assert reported(server) == expected
        assert reported(server, hlg=request) == {**expected, **request}
        assert server.get("/slots")[0]["params"]["hlg"] == {**expected, **request}


BAD_IN_MODEL = [("width", "wide"), ("enabled", "yes"), ("toe", 2000.0), ("pivot", True),
                ("shoulder", float("nan")), ("width", "4." + "0" * 70 + "x"), ("toe", "6\n\x1b[7m")]


@pytest.mark.parametrize("knob, bad", BAD_IN_MODEL)
def test_bad_key_of_the_model_file(model_with, knob, bad):
    done = run_hlg("serve", "-m", model_with({knob: bad}))
    line = done.stderr.splitlines()[-1]
    assert done.returncode == 2
    assert TABLE[knob]["gguf"] + " (in the model file): " in line
    assert "is not allowed: give " in line


@pytest.mark.parametrize("knob", KNOBS)
def test_bad_line_of_the_config_file(tmp_path, knob):
    write_config(tmp_path, {knob: "wide"})
    done = run_hlg("serve", "-m", os.devnull, XDG_CONFIG_HOME=str(tmp_path))
    line = done.stderr.splitlines()[-1]
    assert done.returncode == 2
    assert TABLE[knob]["config"] in line and "'wide' is not allowed: give " in line
