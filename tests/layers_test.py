"""Who may include whom. Each folder sees only what stands here beside it.

src        the public headers, the standard library
llama      the public headers, llama.cpp and its hashes
app        the public headers, the runner, the rivals' samplers, the seam, llama.cpp's JSON;
           version.cc llama.h
bench      the public headers, llama.h, Highway
examples   the public headers, llama.h
fuzz       the public headers, dtypes.h of tests, the seam and its complain.h; arg.h, json.h and
           log.h of llama.cpp
"""

import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[1]
QUOTED = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
SRC = {p.name for p in (ROOT / "src").glob("*.h")}
LLAMA = {p.name for p in (ROOT / "llama").glob("*.h")}
APP = {p.name for p in (ROOT / "app").glob("*.h")}
PUBLIC = {f"hlg/{p.name}" for p in (ROOT / "include" / "hlg").glob("*.h*")}
LLAMA_CPP = {"llama.h", "common.h", "arg.h", "gguf.h", "json.h", "log.h", "hash/sha256/sha256.h"}

ALLOWED = {
    "include": PUBLIC | {"llama.h"},
    "src": SRC | (PUBLIC - {"hlg/hlg-llama.h"}),
    "llama": LLAMA | PUBLIC | LLAMA_CPP,
    "app": APP | {"models-json.h", "rivals.h", "runner.h", "seam.h", "json.h"}
           | (PUBLIC - {"hlg/hlg-llama.h"}),
    "bench": {"read.h", "llama.h"} | PUBLIC,
    "examples": {"llama.h"} | PUBLIC,
    "fuzz": {"check.h", "dtypes.h", "complain.h", "seam.h", "arg.h", "json.h", "log.h"} | PUBLIC,
}
MORE = {"app/version.cc": {"llama.h"}}


def sources(folder):
    return [p for p in (ROOT / folder).rglob("*") if p.suffix in (".h", ".cc", ".hpp", ".cpp")]


def is_program(path):
    if path.suffix:
        return path.suffix in (".h", ".cc", ".hpp", ".cpp", ".py", ".sh", ".cmake")
    return path.is_file() and path.read_bytes().startswith(b"#!")


def programs(folder):
    """Sources in all languages."""
    return [p for p in (ROOT / folder).rglob("*") if is_program(p)]


class Layers(unittest.TestCase):
    def test_includes(self):
        for folder, allowed in ALLOWED.items():
            self.assertTrue(sources(folder), folder)
            for path in sources(folder):
                file = path.relative_to(ROOT).as_posix()
                for name in QUOTED.findall(path.read_text()):
                    self.assertIn(name, allowed | MORE.get(file, set()), f"{file} includes {name}")

    def test_the_core_knows_nothing_of_its_hosts(self):
        words = re.compile(r"\bllama_|\bggml|nlohmann|httplib|std::ifstream|std::ofstream")
        for path in sources("src"):
            self.assertIsNone(words.search(path.read_text()), path)

    def test_public_headers_compile_alone(self):
        for compiler, language, standard, header in (
                ("cc", "c", "c99", "hlg.h"), ("cc", "c", "c11", "hlg.h"),
                ("c++", "c++", "c++17", "hlg.h"), ("c++", "c++", "c++17", "hlg.hpp")):
            with self.subTest(standard=standard, header=header):
                subprocess.run(
                    [compiler, f"-std={standard}", "-Wall", "-Wextra", "-Werror", "-pedantic",
                     "-fsyntax-only", "-I", ROOT / "include", "-x", language, "-"],
                    input=f'#include "hlg/{header}"\n'.encode(), check=True)

    def test_file_lengths(self):
        for folder in (*ALLOWED, "cmake", "lab", "scripts", "tests"):
            self.assertTrue(programs(folder), folder)
            for path in programs(folder):
                self.assertLess(len(path.read_text().splitlines()), 400, path)


if __name__ == "__main__":
    unittest.main()
