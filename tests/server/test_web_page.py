"""The web page in a real browser: Settings, Developer, Custom JSON reaches the sampler.

Needs the page (scripts/web-page) and Chromium; HLG_CHROMIUM names one that is not on the PATH.
Without them the tests are skipped; HLG_BROWSER_TESTS=required makes that a failure.
HLG_SCREENSHOT=docs/images/web-settings.png makes the picture of the README anew.
"""

import json
import os
import re
import shutil

import pytest
from playwright.sync_api import expect, sync_playwright

from endpoints import CHAT
from program import REPO

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update"]

TIMEOUT = 60_000  # milliseconds, for a busy machine
expect.set_options(timeout=TIMEOUT)


def missing(what):
    if os.environ.get("HLG_BROWSER_TESTS") == "required":
        pytest.fail(what)
    pytest.skip(what)


def readme_setting():
    """The JSON of the README's section on the page."""
    readme = (REPO / "README.md").read_text()
    return re.search(r"\n## In the browser\n.*?```json\n(.*?)```", readme, re.DOTALL)[1]


@pytest.fixture(scope="module")
def server(start_server):
    """A server with the page. Without one, `/` must say how to get it."""
    server = start_server("smollm2", "--ui", "--n-predict", "32")
    front = server.get_text("/")
    if "<html" not in front:
        assert "Node 20.19" in front and "build/web-page.log" in front
        missing(front.splitlines()[0])
    return server


@pytest.fixture(scope="module")
def browser():
    names = ["chromium", "chromium-browser", "google-chrome"]
    program = os.environ.get("HLG_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if program is None:
        missing("no Chromium: scripts/packages --browser installs it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(server, browser):
    """The page as a new visitor sees it."""
    context = browser.new_context(service_workers="block", viewport={"width": 900, "height": 560})
    context.set_default_timeout(TIMEOUT)
    page = context.new_page()
    page.goto(server.url)
    yield page
    context.close()


def set_custom_json(page, text, screenshot=None):
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("button", name="Developer").click()
    field = page.get_by_label("Custom JSON")
    field.fill(text)
    if screenshot:
        field.evaluate("field => field.scrollIntoView({block: 'center'})")
        page.screenshot(path=screenshot, animations="disabled")
    page.get_by_role("button", name="Save settings").click()
    expect(page.get_by_role("dialog")).to_have_count(0)


def send(page, text):
    """Sends a message and waits for the end of the answer. Returns the request's body."""
    page.get_by_placeholder("Type a message").fill(text)
    with page.expect_request_finished(lambda r: r.url.endswith(CHAT.path)) as request:
        page.get_by_role("button", name="Send").click()
    return request.value.post_data_json


def test_setting_of_the_readme(server, page):
    """It is sent with the message, and the slot that answered reports it."""
    text = readme_setting()
    wanted = json.loads(text)
    set_custom_json(page, text, os.environ.get("HLG_SCREENSHOT"))
    body = send(page, "Write one sentence about the sea.")
    assert {key: body[key] for key in wanted} == wanted
    params = server.get("/slots")[0]["params"]
    assert params["samplers"] == ["penalties", "dry", "hlg"]
    assert {key: params["hlg"][key] for key in wanted["hlg"]} == wanted["hlg"]
    assert params["temperature"] == pytest.approx(wanted["temperature"])


def test_without_a_setting(server, page):
    """The server's own: HLG is off."""
    assert "hlg" not in send(page, "Write one sentence about the sea.")
    assert server.get("/slots")[0]["params"]["hlg"]["enabled"] is False


def test_bad_value_is_shown(page):
    """The server's line about it stands in the page."""
    set_custom_json(page, '{"hlg": {"enabled": true, "toe_shape": "sharp"}}')
    send(page, "Write one sentence about the sea.")
    expect(page.get_by_text("hlg.toe_shape")).to_be_visible()
