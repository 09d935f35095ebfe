"""Runs the snippets of the pages: README.md and its neighbours, and docs/.

usage: snippets_test.py BUILD [PAGE...]     BUILD: a build tree; PAGE: as "docs/kernel.md"

Code stands in fences, and the language says what is done with it:

sh          run by bash in a folder that looks like this checkout after `make build`, with build/bin
            in PATH, a model as model.gguf, rows of its vocabulary as rows.f32, a recorded folder
            `recording`, and harm.csv. Each command and pipe must succeed. What serves is stopped
            once it has answered the request that it printed, or one of ours.
json, http  sent to a server ("POST /path", or the path that fits its keys), which must take it
python      run by the Python of scripts/test-python, beside the same server; must print something
c, cpp      compiled in a wrapper and run; what uses llama.h is only compiled
cmake       put into a project with a target `program`, configured, built and run
text        no code

Ports are replaced by free ones. A block that cannot be run has the line <!-- not run: REASON -->
before its fence; the reason is printed. Everything else fails, and so does code without a fence.
"""
import contextlib
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import NamedTuple

import recorded

ROOT = Path(__file__).resolve().parent.parent
TIMEOUT = 120  # seconds, for each step
SERVES = re.compile(r"^(make|\S*hlg) serve\b", re.MULTILINE)
PORT = re.compile(r"(?<=PORT=|port |\.0\.1:|host:)\d+")  # look-behinds must be of one length
REQUEST = re.compile(r"^curl .*?json\.tool$", re.MULTILINE | re.DOTALL)  # as `make serve` prints it
LIMIT = {"/completion": "n_predict", "/v1/responses": "max_output_tokens"}  # else: max_tokens
VOCABULARY = 49152
BASH = ("bash", "-e", "-o", "pipefail", "-c")

C_WRAPPER = """
#include "hlg/hlg.h"
int main(void) {
  static const float logits[] = {0, 1, 2, 3};
  enum { n_vocab = 4 };
%s
  return token >= 0 && token < n_vocab ? 0 : 1;
}
"""
CPP_WRAPPER = """
#include <vector>
#include "hlg/hlg.hpp"
int main() {
  const std::vector<float> logits = {0, 1, 2, 3};
%s
  return token >= 0 && token < 4 ? 0 : 1;
}
"""
LLAMA_WRAPPER = """
#include "hlg/hlg-llama.h"
llama_sampler* snippet(uint32_t seed) {
%s
  return sampler;
}
"""
COMPILE = {"c": ("CMAKE_C_COMPILER", "c99", C_WRAPPER),
           "cpp": ("CMAKE_CXX_COMPILER", "c++17", CPP_WRAPPER)}
CMAKE_WRAPPER = """
cmake_minimum_required(VERSION 3.21)
project(snippet LANGUAGES C CXX)
add_executable(program "%s/tests/packaging/consumer.c")
%s
"""


class Failure(Exception):
    """Why a snippet failed."""


class Block(NamedTuple):
    where: str     # README.md:23
    language: str
    text: str
    reason: str    # why it is not run, or ""


def blocks(page):
    """The fenced blocks of a page. Code that is only indented is a Failure."""
    lines = page.read_text().splitlines()
    name = page.relative_to(ROOT)
    number, before = 0, ""  # `before`: the last line that is not empty
    while number < len(lines):
        line = lines[number]
        if line.startswith("```"):
            end = next((i for i in range(number + 1, len(lines)) if lines[i] == "```"), None)
            if end is None:
                raise Failure("%s:%d: a fence without an end" % (name, number + 1))
            reason = re.fullmatch(r"<!-- not run: (.+) -->", before)
            yield Block("%s:%d" % (name, number + 1), line[3:], "\n".join(lines[number + 1:end]),
                        reason[1] if reason else "")
            number = end
        elif line.startswith("    ") and number and not lines[number - 1]:
            raise Failure("%s:%d: code without a fence: %s" % (name, number + 1, line.strip()))
        before = line or before
        number += 1


def run(*command, **options):
    """The output of a command. A Failure holds all of it."""
    options = {"stdin": subprocess.DEVNULL, "timeout": TIMEOUT, **options}
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, check=False, errors="replace", **options)
    if done.returncode:
        raise Failure("exit status %d\n%s" % (done.returncode, done.stdout))
    return done.stdout


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(what, condition, process):
    """What `condition` gives once it is true; a Failure when the process ends before."""
    deadline = time.monotonic() + TIMEOUT
    while not (result := condition()):
        if process.poll() is not None or time.monotonic() > deadline:
            raise Failure("no %s; exit status %s" % (what, process.poll()))
        time.sleep(0.1)
    return result


def stop(process):
    """Ends a process and its group by SIGTERM; subprocess.TimeoutExpired when they go on."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(10)


def is_healthy(port):
    try:
        return urllib.request.urlopen("http://127.0.0.1:%d/health" % port, timeout=5).status == 200
    except OSError:
        return False


def post(port, path, body):
    data = json.dumps(body).encode()
    request = urllib.request.Request("http://127.0.0.1:%d%s" % (port, path), data,
                                     {"Content-Type": "application/json"})
    try:
        return json.load(urllib.request.urlopen(request, timeout=TIMEOUT))
    except urllib.error.HTTPError as error:
        raise Failure("%s: %d %s" % (path, error.code, error.read().decode())) from error


class Place:
    """A folder that looks like this checkout after `make build`, and what runs in it."""

    def __init__(self, folder, build, stack):
        self.folder, self.build, self.stack = folder, build, stack
        self.cache = dict(re.findall(r"^(\w+):\w+=(.*)$", (build / "CMakeCache.txt").read_text(),
                                     re.MULTILINE))
        for entry in ROOT.iterdir():
            if entry.name not in (".git", "build"):
                (folder / entry.name).symlink_to(entry)
        (folder / "build").symlink_to(build)
        model = run(ROOT / "scripts/fetch-model", "smollm2").splitlines()[-1]
        (folder / "path/to").mkdir(parents=True)
        for name in ("model.gguf", "path/to/model.gguf"):
            (folder / name).symlink_to(model)
        logits = [i % 97 / 10 for i in range(2 * VOCABULARY)]
        (folder / "rows.f32").write_bytes(struct.pack("<%df" % len(logits), *logits))
        recorded.record(folder / "recording", [logits[:VOCABULARY], logits[VOCABULARY:]])
        (folder / "harm.csv").write_text("model,kind,coordinate,band,harm,se,n\n"
                                         "smollm2,any,z_top,0,0.01,0.01,300\n"
                                         "smollm2,any,z_top,-4,0.02,0.01,300\n"
                                         "smollm2,any,z_top,-9,0.1,0.01,300\n")
        self.port = None  # of the server that all requests share

    def obstacle(self, block):
        """Why a block cannot be run in this build tree, or "". `make` would configure it again."""
        by_make = (self.build / ".cmake-args").exists()
        uses_make = block.language == "sh" and re.search(r"^make\b", block.text, re.MULTILINE)
        return "make did not make this build tree" if uses_make and not by_make else ""

    def env(self, port):
        """Nothing of the caller's settings, but for what `make` must find as it left it."""
        foreign = ("LLAMA_", "HLG_TARGET", "MAKE", "MFLAGS", "MODEL", "ARGS")
        env = {k: v for k, v in os.environ.items() if not k.startswith(foreign)}
        arguments = self.build / ".cmake-args"
        env.update(PATH="%s:%s" % (self.build / "bin", env["PATH"]), PORT=str(port),
                   XDG_CONFIG_HOME=str(self.folder / "no-config"), LLAMA_ARG_PORT=str(port),
                   LLAMA_ARG_THREADS="1", HLG_LLAMA_DEST=self.cache["HLG_LLAMA_DIR"],
                   CMAKE_ARGS=arguments.read_text() if arguments.exists() else "")
        return env

    @contextlib.contextmanager
    def serving(self, text, port):
        """Runs a block that serves, until the end of the `with`. Gives (process, log)."""
        log = self.folder / ("server-%d.log" % port)
        with open(log, "wb") as out:
            process = subprocess.Popen([*BASH, text], cwd=self.folder, env=self.env(port),
                                       stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=subprocess.STDOUT, start_new_session=True)
        try:
            wait_for("answer to /health", lambda: is_healthy(port), process)
            yield process, log
        except Failure as failure:
            raise Failure("%s\n%s" % (failure, log.read_text(errors="replace"))) from failure
        finally:
            for _ in range(2):  # after one signal llama.cpp's server waits for a client that waits
                with contextlib.suppress(subprocess.TimeoutExpired):
                    stop(process)

    def shared_server(self):
        """The port of a server that is started for the first request and stopped at the end."""
        if not self.port:
            self.port = free_port()
            command = "exec hlg serve -m model.gguf --metrics"
            self.stack.enter_context(self.serving(command, self.port))
        return self.port


def run_server(block, place):
    port = free_port()
    with place.serving(PORT.sub(str(port), block.text), port) as (process, log):
        if block.text.startswith("make"):
            printed = wait_for("request to paste", lambda: REQUEST.search(log.read_text()), process)
            answer = json.loads(run(*BASH, printed[0]))
            if not answer["choices"][0]["message"]["content"]:
                raise Failure("no text: %s" % answer)
        else:
            answer = post(port, "/completion", {"prompt": "The sea", "n_predict": 4})
            is_on = answer["generation_settings"]["hlg"]["enabled"]
            if is_on != ("--hlg-sampling on" in block.text):
                raise Failure("hlg is %s, not as the flags say" % ("on" if is_on else "off"))
        stop(process)
    if is_healthy(port):
        raise Failure("the server still answers after it was stopped")


def run_sh(block, place):
    if SERVES.search(block.text):
        run_server(block, place)
        return
    port = place.shared_server() if PORT.search(block.text) else free_port()
    run(*BASH, PORT.sub(str(port), block.text), cwd=place.folder, env=place.env(port),
        stdin=None, input="/exit\n")  # the way out of a chat


def run_request(block, place):
    head, _, body = block.text.rpartition("\n\n")
    body = json.loads(body)
    is_chat = "messages" in body
    path = head.partition(" ")[2] or ("/v1/chat/completions" if is_chat else "/completion")
    body.setdefault(LIMIT.get(path, "max_tokens"), 16)
    answer = post(place.shared_server(), path, body)
    if path == "/completion":
        used = answer["generation_settings"]["hlg"]
        wrong = [key for key, value in body.get("hlg", {}).items() if used[key] != value]
        if wrong:
            raise Failure("%s not taken: %s" % (wrong, used))


def run_python(block, place):
    python = run(ROOT / "scripts/test-python").splitlines()[-1]
    port = place.shared_server()
    text = PORT.sub(str(port), block.text)
    if not run(python, "-c", text, cwd=place.folder, env=place.env(port)).strip():
        raise Failure("it prints nothing")


def run_c(block, place):
    compiler, standard, wrapper = COMPILE[block.language]
    llama = Path(place.cache["HLG_LLAMA_DIR"])
    uses_llama = "llama_sampler" in block.text
    source, program = place.folder / ("snippet." + block.language), place.folder / "snippet"
    source.write_text((LLAMA_WRAPPER if uses_llama else wrapper) % block.text)
    command = [place.cache[compiler], "-std=" + standard, "-Wall", "-Wextra", "-Werror",
               "-I%s" % (ROOT / "include"), source]
    if uses_llama:
        run(*command, "-I%s" % (llama / "include"), "-I%s" % (llama / "ggml/include"),
            "-fsyntax-only")
        return
    lib = place.build / "lib"
    run(*command, "-L%s" % lib, "-lhlg", "-Wl,-rpath,%s" % lib, "-o", program)
    run(program)


def run_cmake(block, place):
    with tempfile.TemporaryDirectory(dir=place.folder) as folder:
        Path(folder, "CMakeLists.txt").write_text(CMAKE_WRAPPER % (ROOT, block.text))
        run("cmake", "-S", folder, "-B", folder, "-G", place.cache["CMAKE_GENERATOR"],
            "-Dhlg_DIR=%s" % place.build)
        run("cmake", "--build", folder)
        if "drew" not in run(Path(folder, "program")):
            raise Failure("the program that was linked drew nothing")


RUN = {"sh": run_sh, "json": run_request, "http": run_request, "python": run_python, "c": run_c,
       "cpp": run_c, "cmake": run_cmake}


def check(block, place):
    """Runs a block and prints a line. False when it failed."""
    start = time.monotonic()
    if block.language not in RUN:
        print("FAILED   %s: no rule for the language '%s'" % (block.where, block.language))
        return False
    if reason := block.reason or place.obstacle(block):
        print("not run  %s: %s" % (block.where, reason))
        return True
    try:
        RUN[block.language](block, place)
    except (Failure, OSError, ValueError, KeyError, subprocess.TimeoutExpired) as error:
        print("FAILED   %s:\n%s\n%s" % (block.where, block.text, error))
        return False
    print("ok       %s %s, %.1f s" % (block.where, block.language, time.monotonic() - start))
    return True


def main(build, *names):
    pages = [ROOT / name for name in names] or sorted([*ROOT.glob("*.md"),
                                                       *ROOT.glob("docs/**/*.md")])
    try:
        found = [b for page in pages for b in blocks(page) if b.language != "text"]
    except Failure as failure:
        print(failure)
        return 1
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="hlg-snippets-"))
        place = Place(Path(folder), Path(build).resolve(), stack)
        failed = [block.where for block in found if not check(block, place)]
    print("%d snippets, %d failed" % (len(found), len(failed)))
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main(*sys.argv[1:]))
