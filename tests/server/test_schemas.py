"""Which field takes a JSON schema on which endpoint, as docs/reference/server.md says (case 26)."""

import pytest

from endpoints import BENT, ENDPOINTS

SCHEMA = {"type": "boolean"}
FORMAT = {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA}}
CHATS = ["/v1/chat/completions", "/v1/responses", "/v1/messages"]


def is_valid(server, path, **field):
    text = ENDPOINTS[path].text(server, seed=1, hlg=BENT, **field)
    return text.strip() in ("true", "false")


@pytest.mark.parametrize("path", ENDPOINTS)
def test_json_schema(smollm2, path):
    assert is_valid(smollm2, path, json_schema=SCHEMA)


@pytest.mark.parametrize("path", CHATS)
def test_response_format(smollm2, path):
    assert is_valid(smollm2, path, response_format=FORMAT)


@pytest.mark.parametrize("path, field", [
    ("/v1/completions", {"response_format": FORMAT}),
    ("/v1/responses", {"text": {"format": {"type": "json_schema", "name": "answer",
                                           "schema": SCHEMA}}}),
    ("/v1/messages", {"output_format": {"type": "json_schema", "schema": SCHEMA}}),
])
def test_ignored(smollm2, path, field):
    """llama.cpp's own gaps: when one is closed, the page has to say so."""
    assert not is_valid(smollm2, path, **field)
