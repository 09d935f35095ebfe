"""What the tests send and how they read the answer, for every endpoint that generates text."""

import json

from knobs import TABLE
from local_server import stream_data

# The extreme settings of the case list: a hard shoulder near the top, and a fading tail.
BENT = {"enabled": True, "pivot_offset": 3, "width": 1, "shoulder": 0.5, "toe": 1,
        "toe_shape": "fade"}
NEUTRAL = {"enabled": True, "width": "off"}

KNOBS = list(TABLE)

PROMPT = "Once upon a time"
MESSAGES = [{"role": "user", "content": "Tell me a story about a fox."}]


class Endpoint:
    def __init__(self, path, question, length, read):
        self.path = path
        self.question = question  # the part of the body that asks
        self.length = length  # name of the token limit
        self.read = read  # text from the response's object

    def body(self, n_predict=16, **settings):
        return {"model": "any", **self.question, self.length: n_predict, **settings}

    def text(self, server, **settings):
        return self.read(server.post(self.path, self.body(**settings)))


ENDPOINTS = {e.path: e for e in [
    Endpoint("/completion", {"prompt": PROMPT}, "n_predict", lambda r: r["content"]),
    Endpoint("/v1/completions", {"prompt": PROMPT}, "max_tokens",
             lambda r: r["choices"][0]["text"]),
    Endpoint("/v1/chat/completions", {"messages": MESSAGES}, "max_tokens",
             lambda r: r["choices"][0]["message"]["content"]),
    Endpoint("/v1/responses", {"input": MESSAGES[0]["content"]}, "max_output_tokens",
             lambda r: r["output"][0]["content"][0]["text"]),
    Endpoint("/v1/messages", {"messages": MESSAGES}, "max_tokens",
             lambda r: r["content"][0]["text"]),
]}

CHAT = ENDPOINTS["/v1/chat/completions"]


def stream_events(response):
    """The objects of an event stream, without the closing [DONE]."""
    return [json.loads(data) for data in stream_data(response.text) if data != "[DONE]"]


def streamed_chat_text(server, **settings):
    response = server.post_raw(CHAT.path, CHAT.body(stream=True, **settings))
    assert response.status_code == 200, response.text
    deltas = [e["choices"][0]["delta"] for e in stream_events(response) if e["choices"]]
    return "".join(d.get("content") or "" for d in deltas)


def error_of(response):
    """The error's object of a refused request."""
    return response.json()["error"]
