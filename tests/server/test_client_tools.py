"""Tool calls and JSON schemas through the official clients, with HLG on (case 26)."""

import json
from functools import cache
from pathlib import Path

import pytest

from clients import anthropic_client, openai_client
from endpoints import BENT, CHAT
from local_server import PLAIN

TEMPLATE = str(Path(__file__).with_name("tools.jinja"))
QUESTION = [{"role": "user", "content": "How is the weather in Rome over 3 days?"}]
OTHER = {**BENT, "shoulder": "off"}
SEEDS = [2, 3]
N_TOKENS = 150  # far more than a call needs

NAME = "forecast"
HELP = "The weather to come"
SCHEMA = {"type": "object", "properties": {"place": {"enum": ["Lima", "Kyoto", "Cairo"]},
                                           "hours": {"type": "integer", "minimum": 1,
                                                     "maximum": 9}},
          "required": ["place", "hours"], "additionalProperties": False}

FUNCTION = {"name": NAME, "description": HELP, "parameters": SCHEMA}
RESPONSE_FORMAT = {"type": "json_schema", "json_schema": {"name": NAME, "schema": SCHEMA}}

streamed_or_not = pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])


@pytest.fixture(scope="module")
def server(start_server):
    """Has read the prompt, so that each request goes on from the same cache."""
    server = start_server("smollm2", "--chat-template-file", TEMPLATE)
    server.post(CHAT.path, {"messages": QUESTION, "max_tokens": 1})
    return server


def settings(seed, hlg):
    return {**PLAIN, "cache_prompt": True, "seed": seed, "temperature": 0.8, "hlg": hlg}


def final_response(events):
    return [e for e in events if e.type == "response.completed"][-1].response


# The calls in an answer, as (name, arguments).

def chat_calls(server, stream, body):
    asked = {"model": "any", "messages": QUESTION, "max_tokens": N_TOKENS,
             "tool_choice": "required", "extra_body": body,
             "tools": [{"type": "function", "function": FUNCTION}]}
    chats = openai_client(server).chat.completions
    if stream:
        with chats.stream(**asked) as events:
            answer = events.get_final_completion()
    else:
        answer = chats.create(**asked)
    assert answer.choices[0].finish_reason == "tool_calls"
    return [(c.function.name, json.loads(c.function.arguments))
            for c in answer.choices[0].message.tool_calls]


def response_calls(server, stream, body):
    answer = openai_client(server).responses.create(
        model="any", input=QUESTION, max_output_tokens=N_TOKENS, tool_choice="required",
        tools=[{"type": "function", **FUNCTION}], stream=stream, extra_body=body)
    output = (final_response(answer) if stream else answer).output
    return [(item.name, json.loads(item.arguments)) for item in output
            if item.type == "function_call"]


def message_calls(server, stream, body):
    asked = {"model": "any", "messages": QUESTION, "max_tokens": N_TOKENS,
             "tool_choice": {"type": "any"}, "extra_body": body,
             "tools": [{"name": NAME, "description": HELP, "input_schema": SCHEMA}]}
    if stream:
        with anthropic_client(server).messages.stream(**asked) as events:
            answer = events.get_final_message()
    else:
        answer = anthropic_client(server).messages.create(**asked)
    assert answer.stop_reason == "tool_use"
    return [(block.name, block.input) for block in answer.content if block.type == "tool_use"]


TOOL_CALLS = [chat_calls, response_calls, message_calls]


def is_valid(arguments):
    properties = SCHEMA["properties"]
    return (arguments.keys() == properties.keys() and type(arguments["hours"]) is int
            and arguments["place"] in properties["place"]["enum"] and 1 <= arguments["hours"] <= 9)


@pytest.fixture(scope="module")
def called(server):
    """The calls for each seed, asked for once."""
    return cache(lambda ask, stream: [ask(server, stream, settings(seed, BENT)) for seed in SEEDS])


@pytest.mark.parametrize("ask", TOOL_CALLS)
@streamed_or_not
def test_tool_call(called, ask, stream):
    """Calls of the tool, and only with arguments that it takes."""
    for calls in called(ask, stream):
        assert calls
        assert all(name == NAME and is_valid(arguments) for name, arguments in calls)


def test_one_object_one_call(called):
    """The three endpoints draw the same arguments, streamed or not."""
    drawn = [called(ask, stream) for ask in TOOL_CALLS for stream in (False, True)]
    assert drawn == drawn[:1] * len(drawn)


def test_the_curve_draws_the_arguments(server, called):
    other = [chat_calls(server, False, settings(seed, OTHER)) for seed in SEEDS]
    assert other != called(chat_calls, False)


def chat_json(server, body):
    return openai_client(server).chat.completions.create(
        model="any", messages=QUESTION, max_tokens=N_TOKENS, response_format=RESPONSE_FORMAT,
        extra_body=body).choices[0].message.content


def response_json(server, body):
    return openai_client(server).responses.create(
        model="any", input=QUESTION, max_output_tokens=N_TOKENS,
        extra_body={**body, "response_format": RESPONSE_FORMAT}).output_text


def message_json(server, body):
    return anthropic_client(server).messages.create(
        model="any", messages=QUESTION, max_tokens=N_TOKENS,
        extra_body={**body, "response_format": RESPONSE_FORMAT}).content[0].text


def test_json_schema(server):
    """Case 26: valid for every seed, the same on the three endpoints, and drawn with HLG."""
    def texts(ask, hlg):
        return [ask(server, settings(seed, hlg)) for seed in SEEDS]

    bent = texts(chat_json, BENT)
    assert all(is_valid(json.loads(text)) for text in bent)
    assert texts(response_json, BENT) == texts(message_json, BENT) == bent
    assert texts(chat_json, OTHER) != bent
