"""Requests that share a server keep their settings to themselves."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from clients import openai_client
from endpoints import BENT, NEUTRAL, PROMPT

QUESTION = [{"role": "user", "content": "What is 2+2? Answer with one number."}]


@pytest.fixture(scope="module")
def four_slots(start_server):
    return start_server("smollm2", "-np", "4", "--metrics")


def gauge(server, name):
    lines = server.get_text("/metrics").splitlines()
    return float(next(line.split()[1] for line in lines if line.startswith(name + " ")))


def test_parallel_requests(four_slots):
    """Case 15: four at a time on four slots; each report and length is of its own body."""
    defaults = four_slots.get("/props")["default_generation_settings"]["params"]["hlg"]
    given = [BENT, {**BENT, "pivot": "median", "toe_shape": "log", "toe": 9}, NEUTRAL,
             {"enabled": False, "width": 2, "shoulder": "off", "pivot_offset": 4}]
    bodies = [{"prompt": PROMPT, "n_predict": 4 * 2 ** i, "ignore_eos": True, "hlg": given[i],
               "seed": 10 * turn + i, "temperature": 0.5 + i} for turn in range(3)
              for i in range(4)]

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda body: four_slots.complete(**body), bodies))
    for body, answer in zip(bodies, answers):
        report = answer["generation_settings"]
        assert report["hlg"] == {**defaults, **body["hlg"]}
        assert ("hlg" in report["samplers"]) == body["hlg"]["enabled"]
        assert [report[k] for k in ("seed", "temperature")] == [body["seed"], body["temperature"]]
        assert answer["tokens_predicted"] == report["n_predict"] == body["n_predict"]
    assert gauge(four_slots, "llamacpp:n_busy_slots_per_decode") > 1


def test_next_user_of_a_slot(smollm2):
    """Case 16: a chat is the same before and after one with extreme HLG and no end of text."""
    names = ["hlg", "samplers", "temperature", "top_k", "min_p", "ignore_eos"]
    defaults = smollm2.get("/props")["default_generation_settings"]["params"]

    def chat(**settings):
        answer = openai_client(smollm2).chat.completions.create(
            model="any", messages=QUESTION, max_tokens=40,
            extra_body={"seed": 2, "cache_prompt": False, "verbose": True, **settings}).to_dict()
        choice, report = answer["choices"][0], answer["__verbose"]["generation_settings"]
        return (choice["message"]["content"], choice["finish_reason"],
                {k: report[k] for k in names})

    before = chat()
    assert before[1:] == ("stop", {k: defaults[k] for k in names})

    text, finish, report = chat(hlg=BENT, ignore_eos=True, temperature=1.5)
    assert text != before[0] and finish == "length"
    assert report["hlg"] == {"pivot": "top", **BENT} and report["ignore_eos"] is True

    assert chat() == before
