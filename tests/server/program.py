"""The program under test: where it is, how it is run, and its server as a process.

HLG_BIN names the program (default: build/bin/hlg). HLG_MODEL_<NAME> names a model file (for example
HLG_MODEL_SMOLLM2); without it scripts/fetch-model is asked for the path.
"""

import json
import os
import subprocess
import sys
from array import array
from pathlib import Path

import requests

REPO = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPO / "scripts"))
import local_server  # noqa: E402
from local_server import HLG, clean_env  # noqa: E402

# llama.cpp's threads wait for each other by spinning: on a busy machine with few cores two of them
# were ten to a hundred times slower than one.
ONE_THREAD = ["--threads", "1", "--threads-batch", "1"]
TIMEOUT = 60  # seconds


def model_path(name):
    """The path of a model: of its name, or of its path."""
    if os.sep in name:
        return name
    given = os.environ.get("HLG_MODEL_" + name.upper().replace("-", "_"))
    if given:
        return given
    fetch = [str(REPO / "scripts" / "fetch-model"), name]
    return subprocess.run(fetch, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def run_hlg(*args, **env):
    """Runs hlg to its end. Returns the finished process, with stdout and stderr as text.

    A drawn text may end inside a character, so what is not UTF-8 is replaced.
    """
    return subprocess.run([HLG, *args], env=clean_env(**env), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace",
                          timeout=TIMEOUT, check=False)


def apply_curve(logits, hlg, temperature, folder):
    """Log-probabilities by `hlg apply`: arrays of float32 in and out. hlg: as in a request."""
    (folder / "row").write_bytes(logits.tobytes())
    flags = [word for knob in hlg.keys() - {"enabled"}
             for word in ("--hlg-" + knob.replace("_", "-"), str(hlg[knob]))]
    done = run_hlg("apply", "--logits", str(folder / "row"), "--vocab", str(len(logits)),
                   "--temp", str(temperature), *flags, "--out", str(folder / "out"))
    assert done.returncode == 0, done.stderr
    return array("f", (folder / "out").read_bytes())


class Server(local_server.Server):
    """A running `hlg serve` with one slot and one thread. Stop it when done, or use it in a with
    statement.

    model: a name or a path; None: the flags say what to serve. env: more environment. program: the
    words of the command before "serve".

    Each request has its own connection: the server closes one after a stream without saying so.
    """

    def __init__(self, model, flags, log_path, env=None, program=(HLG,)):
        self.log_path = Path(log_path)
        super().__init__(model and model_path(model), "-c", "2048", *ONE_THREAD, *flags, env=env,
                         program=program, log=open(log_path, "w+b"))  # noqa: SIM115
        self.url = "http://127.0.0.1:%d" % self.port

    def log_tail(self, n_lines=30):
        return "\n".join(self.log_path.read_text(errors="replace").splitlines()[-n_lines:])

    def get_text(self, path):
        response = requests.get(self.url + path, timeout=TIMEOUT)
        assert response.status_code == 200, response.text
        return response.text

    def get(self, path):
        return json.loads(self.get_text(path))

    def post_raw(self, path, body):
        """Sends a body, an object or the text of one. Returns the response, whatever its status."""
        how = {"data": body} if isinstance(body, str) else {"json": body}
        return requests.post(self.url + path, timeout=TIMEOUT, **how)

    def post(self, path, body):
        response = self.post_raw(path, body)
        assert response.status_code == 200, response.text
        return response.json()

    def complete(self, **settings):
        """A /completion. Returns the response's object."""
        return self.post("/completion", settings)
