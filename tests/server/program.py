"""The program under test: where it is, how it is run, and its server as a process.

HLG_BIN names the program (default: build/bin/hlg). HLG_MODEL_<NAME> names a model file (for example
HLG_MODEL_SMOLLM2); without it scripts/fetch-model is asked for the path.
"""

import json
import os
import socket
import subprocess
import time
from array import array
from pathlib import Path

import requests

REPO = Path(__file__).resolve().parents[2]
HLG = os.environ.get("HLG_BIN") or str(REPO / "build" / "bin" / "hlg")
# llama.cpp's threads wait for each other by spinning: on a busy machine with few cores two of them
# were ten to a hundred times slower than one.
ONE_THREAD = ["--threads", "1", "--threads-batch", "1"]
START_TIMEOUT = 60  # seconds
STOP_TIMEOUT = 10
REQUEST_TIMEOUT = 60


def model_path(name):
    """The path of a model: of its name, or of its path."""
    if os.sep in name:
        return name
    given = os.environ.get("HLG_MODEL_" + name.upper().replace("-", "_"))
    if given:
        return given
    fetch = [str(REPO / "scripts" / "fetch-model"), name]
    return subprocess.run(fetch, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def clean_env(**extra):
    """The environment without settings of llama.cpp, which would reach the program."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("LLAMA_")}
    env["XDG_CONFIG_HOME"] = os.devnull
    env.update(extra)
    return env


def run_hlg(*args, **env):
    """Runs hlg to its end. Returns the finished process, with stdout and stderr as text.

    A drawn text may end inside a character, so what is not UTF-8 is replaced.
    """
    return subprocess.run([HLG, *args], env=clean_env(**env), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace",
                          timeout=START_TIMEOUT, check=False)


def apply_curve(logits, hlg, temperature, folder):
    """Log-probabilities by `hlg apply`: arrays of float32 in and out. hlg: as in a request."""
    (folder / "row").write_bytes(logits.tobytes())
    flags = [word for knob in hlg.keys() - {"enabled"}
             for word in ("--hlg-" + knob.replace("_", "-"), str(hlg[knob]))]
    done = run_hlg("apply", "--logits", str(folder / "row"), "--vocab", str(len(logits)),
                   "--temp", str(temperature), *flags, "--out", str(folder / "out"))
    assert done.returncode == 0, done.stderr
    return array("f", (folder / "out").read_bytes())


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    """A running `hlg serve` with one slot. Stop it when done, or use it in a with statement.

    model: a name or a path; None: the flags say what to serve. env: more environment. program: the
    words of the command before "serve".

    Each request has its own connection: the server closes one after a stream without saying so.
    """

    def __init__(self, model, flags, log_path, env=None, program=(HLG,)):
        self.port = free_port()
        self.url = "http://127.0.0.1:%d" % self.port
        self.log_path = Path(log_path)
        command = [*program, "serve", *(["-m", model_path(model)] if model else []),
                   "--host", "127.0.0.1", "--port", str(self.port), "-np", "1", "-c", "2048",
                   "--no-ui", *ONE_THREAD, *flags]
        with open(log_path, "wb") as log:
            self.process = subprocess.Popen(command, env=clean_env(**env or {}), stdout=log,
                                            stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT)
        try:
            self._wait_until_healthy()
        except BaseException:
            self.stop()
            raise

    def _wait_until_healthy(self):
        deadline = time.monotonic() + START_TIMEOUT
        while not self.is_healthy():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("hlg serve did not come up, exit status %s; its log ends:\n%s"
                                   % (self.process.poll(), self.log_tail()))
            time.sleep(0.05)

    def is_healthy(self):
        try:
            return requests.get(self.url + "/health", timeout=5).status_code == 200
        except requests.ConnectionError:
            return False

    def log_tail(self, n_lines=30):
        return "\n".join(self.log_path.read_text(errors="replace").splitlines()[-n_lines:])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def get_text(self, path):
        response = requests.get(self.url + path, timeout=REQUEST_TIMEOUT)
        assert response.status_code == 200, response.text
        return response.text

    def get(self, path):
        return json.loads(self.get_text(path))

    def post_raw(self, path, body):
        """Sends a body, an object or the text of one. Returns the response, whatever its status."""
        how = {"data": body} if isinstance(body, str) else {"json": body}
        return requests.post(self.url + path, timeout=REQUEST_TIMEOUT, **how)

    def post(self, path, body):
        response = self.post_raw(path, body)
        assert response.status_code == 200, response.text
        return response.json()

    def complete(self, **settings):
        """A /completion. Returns the response's object."""
        return self.post("/completion", settings)
