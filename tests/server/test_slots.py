"""Requests that share a server keep their settings to themselves."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from clients import openai_client
from endpoints import BENT, NEUTRAL, PROMPT

QUESTION = [{"role": "user", "content": "What is 2+2? Answer with one number."}]
FOREIGN = {**BENT, "pivot": "entropy", "toe_shape": "log"}  # every knob apart from its default

GIVEN = [BENT, {**BENT, "pivot": "median", "toe_shape": "log", "toe": 9}, NEUTRAL,
         {"enabled": False, "width": 2, "shoulder": "off", "pivot_offset": 4}]
KEPT = ["hlg", "samplers", "temperature", "top_k", "min_p", "ignore_eos"]
WRONG = [{"prompt": PROMPT, "hlg": {"width": -1}}, {"prompt": PROMPT, "temperature": "hot"}]


def gauge(server, name):
    lines = server.get_text("/metrics").splitlines()
    return float(next(line.split()[1] for line in lines if line.startswith(name + " ")))


def cancel(server, body):
    """Reads the first line of a stream and hangs up."""
    with requests.post(server.url + "/completion", json=body, stream=True, timeout=60) as response:
        next(response.iter_lines())


def reported(server):
    return server.get("/props")["default_generation_settings"]["params"]


def body_of(i):
    """The i-th request: four kinds of settings, four lengths, a temperature of its own."""
    return {"prompt": PROMPT, "n_predict": 4 * 2 ** (i % 4), "ignore_eos": True, "seed": i,
            "hlg": GIVEN[i % 4], "temperature": 0.5 + i / 64, "cache_prompt": False}


def check_answer(body, response, defaults):
    assert response.status_code == 200, response.text
    answer = response.json()
    report = answer["generation_settings"]
    assert report["hlg"] == {**defaults["hlg"], **body["hlg"]}
    assert ("hlg" in report["samplers"]) == body["hlg"]["enabled"]
    assert [report["seed"], report["temperature"]] == [
        body["seed"], pytest.approx(body["temperature"])]
    assert answer["tokens_predicted"] == report["n_predict"] == body["n_predict"]


@pytest.mark.parametrize("n_slots", [1, 4, 8, 32])
def test_parallel_requests(start_server, n_slots):
    """Case 15: as many at a time as there are slots; each report and length is of its own body.

    A refused one and a cancelled one in every eight take no other with them, and whoever has the
    slots next finds the server's own settings there.
    """
    server = start_server("smollm2", "-np", str(n_slots), "-c", str(128 * n_slots), "--metrics")
    defaults = reported(server)

    def send(i):
        if i % 8 == 3:
            return server.post_raw("/completion", WRONG[i // 8 % 2])
        if i % 8 == 6:
            return cancel(server, {**body_of(i), "n_predict": 100, "stream": True,
                                   "hlg": GIVEN[i // 8 % 4]})
        return server.post_raw("/completion", body_of(i))

    def ask_plainly(i):
        return server.complete(prompt=PROMPT, n_predict=4, seed=i)["generation_settings"]

    with ThreadPoolExecutor(n_slots + 1) as pool:
        responses = list(pool.map(send, range(max(16, 2 * n_slots))))
        plain = list(pool.map(ask_plainly, range(n_slots)))
    for i, response in enumerate(responses):
        if i % 8 == 3:
            assert response.status_code == 400
        elif i % 8 != 6:
            check_answer(body_of(i), response, defaults)
    for report in plain:
        assert {k: report[k] for k in KEPT} == {k: defaults[k] for k in KEPT}
    if n_slots > 1:
        assert gauge(server, "llamacpp:n_busy_slots_per_decode") > 1


def test_next_user_of_a_slot(smollm2):
    """Case 16: a chat is the same before and after one with extreme HLG and no end of text."""
    defaults = reported(smollm2)

    def chat(**settings):
        answer = openai_client(smollm2).chat.completions.create(
            model="any", messages=QUESTION, max_tokens=40,
            extra_body={"seed": 2, "cache_prompt": False, "verbose": True, **settings}).to_dict()
        choice, report = answer["choices"][0], answer["__verbose"]["generation_settings"]
        return (choice["message"]["content"], choice["finish_reason"],
                {k: report[k] for k in KEPT})

    before = chat()
    assert before[1:] == ("stop", {k: defaults[k] for k in KEPT})

    text, finish, report = chat(hlg=FOREIGN, ignore_eos=True, temperature=1.5)
    assert text != before[0] and finish == "length"
    assert report["hlg"] == FOREIGN and report["ignore_eos"] is True
    assert all(defaults["hlg"][key] != value for key, value in FOREIGN.items())

    assert chat() == before
