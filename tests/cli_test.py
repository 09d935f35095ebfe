"""Command-line tests: tests/cli/NAME.sh beside its exact output.

usage: cli_test.py HLG [NAME...] [--update]

NAME.sh runs in an empty folder, with $hlg the program and $floats the helper cli/floats.py. Beside
it stand NAME.out, the exact standard output (absent: empty), NAME.err, shell patterns for the lines
of standard error (absent: empty), and NAME.exit, the exit status (absent: 0). --update writes
NAME.out and NAME.exit as they are now.
"""
import fnmatch
import os
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent / "cli"


def expected(script, ending, default):
    path = script.with_suffix(ending)
    return path.read_text() if path.exists() else default


def run(script, hlg):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("LLAMA_", "HLG_"))}
    env.update(hlg=hlg, floats="python3 %s" % (FOLDER / "floats.py"), LC_ALL="C", COLUMNS="80",
               XDG_CONFIG_HOME=os.devnull, PYTHONDONTWRITEBYTECODE="1")
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(["bash", "-euo", "pipefail", str(script)], cwd=folder, env=env,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                              check=False)


def complaints(script, done):
    """What is not as expected, in lines."""
    found = []
    if done.stdout != expected(script, ".out", ""):
        found.append("standard output is\n" + done.stdout)
    patterns = expected(script, ".err", "").splitlines()
    lines = done.stderr.splitlines()
    if len(lines) != len(patterns) or not all(map(fnmatch.fnmatchcase, lines, patterns)):
        found.append("standard error is\n" + done.stderr)
    if done.returncode != int(expected(script, ".exit", "0")):
        found.append("exit status is %d" % done.returncode)
    return found


def update(script, done):
    exit_status = "%d\n" % done.returncode
    for ending, text, empty in ((".out", done.stdout, ""), (".exit", exit_status, "0\n")):
        path = script.with_suffix(ending)
        path.unlink(missing_ok=True)
        if text != empty:
            path.write_text(text)


def main(args):
    hlg, *names = [a for a in args if a != "--update"]
    hlg = os.path.abspath(hlg)
    scripts = sorted(s for s in FOLDER.glob("*.sh") if not names or s.stem in names)
    failed = 0
    for script in scripts:
        done = run(script, hlg)
        if "--update" in args:
            update(script, done)
        found = complaints(script, done)
        failed += bool(found)
        print("%s %s" % ("FAILED" if found else "ok    ", script.stem))
        for text in found:
            print("  " + text.replace("\n", "\n  "))
    print("%d passed, %d failed" % (len(scripts) - failed, failed))
    return 1 if failed or not scripts else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
