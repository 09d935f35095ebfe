"""Router mode: two models of a preset file, each with settings of its own, level by level."""
import pytest

from endpoints import PROMPT
from knobs import environment, write_config
from model_keys import copy_with_settings
from program import Server, model_path

# router flags > the model's section > [*] > environment > config file > model file
FLAGS = ["--hlg-shoulder", "7"]
ENVIRONMENT = {"pivot_offset": 9, "width": 9}
CONFIG = {"pivot": "median", "pivot_offset": 8}
MODEL_FILE = {"toe_shape": "log", "pivot": "entropy", "width": 5.0}  # of the second
PRESETS = """version = 1

[*]
hlg-sampling = on
hlg-width = 2
hlg-toe = 2
hlg-shoulder = 2
threads = 1

[first]
model = %(first)s
hlg-width = 3
hlg-toe-shape = log

[second]
model = %(second)s
hlg-toe = off
hlg-shoulder = 3
"""
BOTH = {"enabled": True, "pivot": "median", "pivot_offset": 9, "shoulder": 7, "toe_shape": "log"}
EXPECTED = {"first": {**BOTH, "width": 3, "toe": 2}, "second": {**BOTH, "width": 2, "toe": "off"}}


@pytest.fixture(scope="module")
def router(tmp_path_factory):
    folder = tmp_path_factory.mktemp("router")
    second = folder / "second.gguf"
    copy_with_settings(model_path("smollm2"), second, MODEL_FILE)
    (folder / "presets.ini").write_text(PRESETS % {"first": model_path("smollm2"),
                                                   "second": second})
    write_config(folder, CONFIG)
    with Server(None, ["--models-preset", str(folder / "presets.ini"), *FLAGS], folder / "log.txt",
                env={**environment(ENVIRONMENT), "XDG_CONFIG_HOME": str(folder)}) as server:
        yield server


def reported(router, model, **request):
    answer = router.complete(model=model, prompt=PROMPT, n_predict=1, **request)
    return answer["generation_settings"]["hlg"]


@pytest.mark.parametrize("model", EXPECTED)
def test_settings_of_the_model(router, model):
    assert reported(router, model) == EXPECTED[model]
    props = router.get("/props?model=" + model)["default_generation_settings"]["params"]
    assert props["hlg"] == EXPECTED[model]


@pytest.mark.parametrize("model", EXPECTED)
def test_request_over_the_router(router, model):
    hlg = {"shoulder": 5, "toe": 0.5, "enabled": False}
    assert reported(router, model, hlg=hlg) == {**EXPECTED[model], **hlg}


def test_bad_request_through_the_router(router):
    response = router.post_raw("/completion", {"model": "first", "prompt": PROMPT,
                                               "hlg": {"width": -1}})
    assert response.status_code == 400
    assert "hlg.width" in response.json()["error"]["message"]


def test_settings_differ_in_effect(router):
    """The curves of the two models give two texts at one seed; with one object, one text."""
    def text(model, **request):
        return router.complete(model=model, prompt=PROMPT, n_predict=24, seed=1, temperature=1.3,
                               cache_prompt=False, **request)["content"]

    assert text("first") != text("second")
    hlg = {"shoulder": 1, "width": 1, "toe": 1, "toe_shape": "fade", "pivot_offset": 3}
    assert text("first", hlg=hlg) == text("second", hlg=hlg)


def test_bad_value_in_the_preset_file(tmp_path):
    """The model's process ends with the line; the router and its other models live."""
    presets = PRESETS.replace("hlg-shoulder = 3", "hlg-shoulder = wide")
    model = model_path("smollm2")
    (tmp_path / "presets.ini").write_text(presets % {"first": model, "second": model})
    flags = ["--models-preset", str(tmp_path / "presets.ini")]
    with Server(None, flags, tmp_path / "log.txt") as router:
        response = router.post_raw("/completion", {"model": "second", "prompt": PROMPT})
        assert response.status_code == 500
        assert reported(router, "first")["width"] == 3
        assert "hlg: --hlg-shoulder: 'wide' is not allowed: give " in router.log_tail(200)
