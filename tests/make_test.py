"""The verbs of the Makefile, in a copy of the checkout: CMAKE_ARGS, clean, a cmake error, install.

usage: make_test.py TREE    (the llama.cpp tree of the build, which is only read)

Only the library is configured and built, which is quick.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[1]
TREE = Path(sys.argv.pop(1))
LIBRARY = "-DHLG_BUILD_PROGRAM=OFF -DHLG_BUILD_TESTS=OFF"
# The make that runs the tests hands its variables down.
INHERITED = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "LLAMA_DIR", "CMAKE_ARGS", "PREFIX")


class Make(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="hlg-make-")
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "hlg.cpp"
        shutil.copytree(ROOT, self.root, ignore=shutil.ignore_patterns("build", ".git"))

    def make(self, *arguments, fails=False):
        env = {k: v for k, v in os.environ.items() if k not in INHERITED}
        done = subprocess.run(["make", "-C", self.root, f"HLG_LLAMA_DEST={TREE}", *arguments],
                              check=False, env=env, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode != 0, fails, done.stdout)
        return done.stdout

    def test_cmake_args_are_passed_on_and_do_not_outlive_their_run(self):
        """Without the program nobody reads GGML_CUDA, so that no CUDA is needed here."""
        cache = self.root / "build/CMakeCache.txt"
        self.make("configure", f"CMAKE_ARGS={LIBRARY} -DGGML_CUDA=ON")
        self.assertRegex(cache.read_text(), "(?m)^GGML_CUDA:[A-Z]+=ON$")
        self.make("configure", f"CMAKE_ARGS={LIBRARY}")
        self.assertNotIn("GGML_CUDA", cache.read_text())

    def test_clean_spares_what_took_long(self):
        kept = {"llama.cpp", "venv", "lab-venv", "lab", "lab-full"}
        for name in (*kept, "bin", ".ninja_log"):
            (self.root / "build" / name).mkdir(parents=True)
        self.make("clean")
        self.assertEqual({path.name for path in (self.root / "build").iterdir()}, kept)

    def test_a_cmake_error_is_not_buried(self):
        said = self.make("configure", f"CMAKE_ARGS={LIBRARY} -DHLG_HWY=elsewhere", fails=True)
        self.assertIn("HLG_HWY is elsewhere: system, fetch or auto is allowed", said)
        self.assertIn("build/configure.log", said)
        self.assertNotIn("-- The C", said)
        self.assertIn("-- The C", (self.root / "build/configure.log").read_text())
        self.make("configure", f"CMAKE_ARGS={LIBRARY}")

    def test_install(self):
        prefix = self.root.parent / "prefix"
        said = self.make("install", f"CMAKE_ARGS={LIBRARY}", f"PREFIX={prefix}")
        self.assertIn(f"hlg: installed in {prefix}\n", said)
        for name in ("include/hlg/hlg.h", "share/doc/hlg/LICENSE"):
            self.assertTrue((prefix / name).is_file(), name)
        (self.root.parent / "file").touch()
        said = self.make("install", f"CMAKE_ARGS={LIBRARY}", f"PREFIX={self.root.parent}/file/x",
                         fails=True)
        self.assertIn("file/x", said)
        self.assertNotIn("hlg: installed", said)


if __name__ == "__main__":
    unittest.main()
