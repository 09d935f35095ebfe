"""`hlg serve` as a child process on a free port, and JSON over HTTP with it.

Used by scripts/demo, scripts/gate, scripts/soak, scripts/bench-server and tests/server. HLG_BIN
names the program (default: build/bin/hlg). Whatever goes wrong is a Failure: one line.
"""
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time

from model_sources import REPO, Failure

HLG = os.environ.get("HLG_BIN") or str(REPO / "build/bin/hlg")
# Turns off everything in llama.cpp's sampler list that cuts or bends the distribution.
PLAIN = {"top_k": 0, "top_p": 1, "min_p": 0, "typical_p": 1, "top_n_sigma": -1,
         "xtc_probability": 0, "dynatemp_range": 0, "repeat_penalty": 1, "cache_prompt": False}
START_TIMEOUT = 300  # seconds; a big model from a slow disk
STOP_TIMEOUT = 10


def check_program():
    if not os.access(HLG, os.X_OK):
        raise Failure("no program at %s: run `make build`" % HLG)


def model_path(model):
    """The path of a model: of a name that scripts/fetch-model knows, or of a file."""
    if "/" not in model and not model.endswith(".gguf"):
        fetch = subprocess.run([str(REPO / "scripts/fetch-model"), model], check=False, text=True,
                               stdout=subprocess.PIPE)
        if fetch.returncode:
            sys.exit(fetch.returncode)  # it has said why
        return fetch.stdout.strip()
    if not os.path.isfile(model):
        raise Failure("no such file: %s" % model)
    return model


def check_out(path):
    """Where a report is to go; no path: nowhere."""
    if path and not path.resolve().parent.is_dir():
        raise Failure("--out: no such folder: %s" % path.parent)
    if path and path.is_dir():
        raise Failure("--out: is a folder: %s" % path)


def strict_json(text):
    """The value of a JSON text. ValueError where it is none, with NaN or Infinity in it too."""
    def refuse(constant):
        raise ValueError(constant + " in JSON")
    return json.loads(text, parse_constant=refuse)


def ranked(probabilities):
    """Of each row of completion_probabilities: the token, its probability and the top list, without
    what no sort promises: the order of equal probabilities, and which tokens are the last of them.
    """
    def rank(row):
        top = [(t["prob"], t["id"]) for t in row["top_probs"]]
        last = min(top)[0]
        return row["id"], row["prob"], sorted((p, i if p > last else None) for p, i in top)

    return [rank(row) for row in probabilities]


def stream_data(text):
    """The data of each event of an event stream."""
    return [line[len("data: "):] for line in text.splitlines() if line.startswith("data: ")]


def clean_env(**extra):
    """The environment without settings of llama.cpp, which would reach the program."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("LLAMA_")}
    return {**env, "XDG_CONFIG_HOME": os.devnull, **extra}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    """A running server with one slot, which `with` stops. Ctrl-C reaches us, not the server.

    model: a path; None: the flags say what to serve. program: the words of the command before
    "serve". log: a file, open for reading and writing. env: more environment.
    """

    def __init__(self, model, *flags, program=(HLG,), log=None, env=None):
        self.port = free_port()
        self.log = log or tempfile.TemporaryFile()  # noqa: SIM115 (stop closes it)
        command = [*program, "serve", *(["-m", str(model)] if model else []), "--host", "127.0.0.1",
                   "--port", str(self.port), "-np", "1", "--no-ui", *flags]
        self.process = subprocess.Popen(command, env=clean_env(**env or {}), stdout=self.log,
                                        stdin=subprocess.DEVNULL, stderr=self.log,
                                        start_new_session=True)
        try:
            self._wait_until_healthy(model)
        except BaseException:
            self.stop()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def _wait_until_healthy(self, model):
        deadline = time.monotonic() + START_TIMEOUT
        while not self.is_healthy():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise Failure("hlg serve did not come up with %s: %s" % (model, self._reason()))
            time.sleep(0.05)

    def is_healthy(self):
        try:
            return self._request("GET", "/health", None)[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def _reason(self):
        """The first error of the log; without one, its last line."""
        self.log.seek(0)
        lines = self.log.read().decode(errors="replace").split("\n")
        errors = [m.group(1) for m in (re.match(r"[\d.]+ E (.*)", line) for line in lines) if m]
        return (errors or [line for line in lines if line][-1:] or ["no word"])[0].strip()

    def _request(self, method, path, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        try:
            connection.request(method, path, body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def get(self, path):
        return self._ask("GET", path, None)

    def post(self, path, body):
        """The object that the server answers."""
        return self._ask("POST", path, json.dumps(body))

    def _ask(self, method, path, body):
        try:
            status, text = self._request(method, path, body)
        except (OSError, http.client.HTTPException) as error:
            raise Failure("hlg serve: %s: %s" % (path, self._reason())) from error
        answer = json.loads(text)
        if status != 200:
            raise Failure("hlg serve: %s: %s" % (path, answer["error"]["message"]))
        return answer

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
