"""Each knob of the table in each place that it must be known at: the cells of a matrix.

Every place is tried alone, with all knobs at values that nothing else would give them.
"""

import re

import pytest

from endpoints import PROMPT
from knobs import TABLE, environment, flags, write_config
from model_keys import copy_with_settings
from program import REPO, Server, model_path, run_hlg

each_knob = pytest.mark.parametrize("knob", TABLE)


def unusual(index, knob):
    """Not the default, and of numbers not the value of another knob."""
    if knob["kind"] == "switch":
        return knob["default"] == "off"
    if knob["kind"] == "choice":
        return [word for word in knob["choices"] if word != knob["default"]][-1]
    return knob["max"] - index - 0.25  # exact in float32


GIVEN = {key: unusual(index, knob) for index, (key, knob) in enumerate(TABLE.items())}


def with_flags(folder):
    return Server("smollm2", flags(GIVEN), folder / "log.txt")


def with_environment(folder):
    return Server("smollm2", [], folder / "log.txt", env=environment(GIVEN))


def with_config(folder):
    write_config(folder, GIVEN)
    return Server("smollm2", [], folder / "log.txt", env={"XDG_CONFIG_HOME": str(folder)})


def with_model_file(folder):
    path = folder / "model.gguf"
    copy_with_settings(model_path("smollm2"), path, GIVEN)
    try:
        return Server(str(path), [], folder / "log.txt")
    finally:
        path.unlink()  # it is large, and read


def used(server, **request):
    answer = server.complete(prompt=PROMPT, n_predict=1, **request)
    return answer["generation_settings"]["hlg"]


PLACES = {"flag": with_flags, "environment": with_environment, "config": with_config,
          "model file": with_model_file}


@pytest.fixture(scope="module", params=PLACES)
def reports(request, tmp_path_factory):
    """What a server says that has its settings from one place alone."""
    with PLACES[request.param](tmp_path_factory.mktemp("place")) as server:
        props = server.get("/props")["default_generation_settings"]["params"]["hlg"]
        return {"/props": props, "generation_settings": used(server)}


@each_knob
@pytest.mark.parametrize("report", ["/props", "generation_settings"])
def test_place_shows_in_report(reports, report, knob):
    assert reports[report][knob] == GIVEN[knob]


@each_knob
def test_request_shows_in_report(smollm2, knob):
    """JSON, each key alone."""
    assert used(smollm2, hlg={knob: GIVEN[knob]})[knob] == GIVEN[knob] != used(smollm2)[knob]


def test_reports_have_no_other_keys(smollm2):
    props = smollm2.get("/props")["default_generation_settings"]["params"]["hlg"]
    assert props.keys() == used(smollm2).keys() == TABLE.keys()


@pytest.fixture(scope="module", params=["serve", "complete", "chat"])
def help_text(request):
    return run_hlg(request.param, "--help").stdout


@each_knob
def test_help(help_text, knob):
    """Name, allowed values, default and environment."""
    knob = TABLE[knob]
    entry = re.search(r"^%s .*\n(?: .*\n)*" % knob["flag"], help_text, re.MULTILINE)
    assert entry, knob["flag"]
    entry = " ".join(entry[0].split())
    for cell in (knob["allowed"], "default: %s)" % knob["default"], "(env: %s)" % knob["env"]):
        assert cell in entry


@each_knob
def test_reference_page(knob):
    page = (REPO / "docs/reference/knobs.md").read_text()
    section = page.partition("\n## %s\n" % knob)[2].partition("\n## ")[0]
    names = ["hlg." + knob, *(TABLE[knob][place] for place in ("flag", "env", "config", "gguf"))]
    assert [name for name in names if "| `%s` |" % name not in section] == []
    assert "`%s` | %s |" % (TABLE[knob]["flag"], TABLE[knob]["allowed"]) in section
    assert "- Default: %s\n" % TABLE[knob]["default"] in section


def readme_rows():
    """The table of settings in README.md: {key: [flag, values, default]}."""
    rows = re.findall(r"^\| `(\w+)` \| `(--hlg-\S+)` \| (.+) \| (.+) \|$",
                      (REPO / "README.md").read_text(), re.MULTILINE)
    return {key: cells for key, *cells in rows}


def test_readme_has_the_knobs():
    assert list(readme_rows()) == list(TABLE)


@each_knob
def test_readme(knob):
    flag, values, default = readme_rows()[knob]
    knob = TABLE[knob]
    words = knob.get("choices", ["off"] if knob.get("can_be_off") else [])
    assert flag == knob["flag"]
    assert [word for word in words if "`%s`" % word not in values] == []
    if knob["kind"] == "number":
        assert values.startswith("%g to %g" % (knob["min"], knob["max"]))
    assert default.strip("`").split()[0] == knob["default"].split()[0]
