"""One conversation on the five endpoints, asked as users ask: through the official clients.

/completion has no official client and is sent as plain HTTP. It and /v1/completions get the text
that the other three make of the conversation, so equal settings must give equal text.
"""

from functools import cache

import anthropic
import openai

from endpoints import ENDPOINTS, stream_events

SYSTEM = "You talk."
QUESTION = "Hi"
USER = [{"role": "user", "content": QUESTION}]
CONVERSATION = [{"role": "system", "content": SYSTEM}, *USER]


# One connection a request, as in program.Server; no retries, which would hide an error.
@cache
def openai_client(server):
    return openai.OpenAI(base_url=server.url + "/v1", api_key="any", max_retries=0,
                         default_headers={"Connection": "close"})


@cache
def anthropic_client(server):
    return anthropic.Anthropic(base_url=server.url, api_key="any", max_retries=0,
                               default_headers={"Connection": "close"})


@cache
def prompt(server):
    return server.post("/apply-template", {"messages": CONVERSATION})["prompt"]


def completion(server, n_tokens, stream, settings):
    body = {"prompt": prompt(server), "n_predict": n_tokens, "stream": stream, **settings}
    response = server.post_raw("/completion", body)
    response.raise_for_status()
    return stream_events(response) if stream else response.json()


def completions(server, n_tokens, stream, settings):
    return openai_client(server).completions.create(
        model="any", prompt=prompt(server), max_tokens=n_tokens, stream=stream,
        extra_body=settings)


def chat(server, n_tokens, stream, settings):
    return openai_client(server).chat.completions.create(
        model="any", messages=CONVERSATION, max_tokens=n_tokens, stream=stream,
        extra_body=settings)


def responses(server, n_tokens, stream, settings):
    return openai_client(server).responses.create(
        model="any", instructions=SYSTEM, input=QUESTION, max_output_tokens=n_tokens,
        stream=stream, extra_body=settings)


def messages(server, n_tokens, stream, settings):
    return anthropic_client(server).messages.create(
        model="any", system=SYSTEM, messages=USER, max_tokens=n_tokens, stream=stream,
        extra_body=settings)


ASK = {"/completion": completion, "/v1/completions": completions, "/v1/chat/completions": chat,
       "/v1/responses": responses, "/v1/messages": messages}

# The text in one event of a stream.
PIECE = {
    "/completion": lambda e: e["content"],
    "/v1/completions": lambda e: e["choices"][0]["text"],
    "/v1/chat/completions": lambda e: e["choices"][0]["delta"].get("content") or "",
    "/v1/responses": lambda e: e["delta"] if e["type"] == "response.output_text.delta" else "",
    "/v1/messages": lambda e: e["delta"]["text"] if e["type"] == "content_block_delta" else "",
}


def parts(server, path, n_tokens, stream, **settings):
    """The answer's object, or the events of its stream, as JSON."""
    answer = ASK[path](server, n_tokens, stream, settings)
    return [p if isinstance(p, dict) else p.to_dict() for p in (answer if stream else [answer])]


def text(server, path, n_tokens, stream=False, **settings):
    read = PIECE[path] if stream else ENDPOINTS[path].read
    return "".join(read(p) for p in parts(server, path, n_tokens, stream, **settings))
