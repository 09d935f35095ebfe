"""scripts/web-page when it cannot make the page: one line, exit status 0, nothing left behind.

usage: web_page_test.py TREE    (the llama.cpp tree of the build)
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / "scripts" / "web-page"
TREE = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else None
HAS_NODE = subprocess.run([SCRIPT, "--check"], capture_output=True, check=False).returncode == 0
# npm's own settings: a registry where nothing listens, and nothing cached.
OFFLINE = {"npm_config_registry": "http://127.0.0.1:9", "npm_config_fetch_retries": "0"}


class WebPage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.ui = self.folder / "tree" / "tools" / "ui"
        self.log = self.folder / "log"
        shutil.copytree(TREE / "tools" / "ui", self.ui, ignore=shutil.ignore_patterns("dist"))

    def run_script(self, **env):
        return subprocess.run([SCRIPT, self.folder / "tree", self.log], env={**os.environ, **env},
                              capture_output=True, text=True, check=False)

    def assert_no_page(self, done, why):
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertRegex(done.stderr, rf"\Ahlg: built without the web page: {why}.*\n\Z")
        self.assertIn(done.stderr, self.log.read_text())
        self.assertFalse((self.ui / "dist").exists())
        self.assertEqual({p.name for p in self.folder.iterdir()}, {"tree", "log"})

    def test_no_node(self):
        """A PATH with what the script calls, and nothing else."""
        tools = self.folder / "tree" / "bin"
        tools.mkdir()
        for name in ("bash", "dirname", "mktemp", "rm", "tee"):
            (tools / name).symlink_to(shutil.which(name))
        done = self.run_script(PATH=str(tools))
        self.assert_no_page(done, "Node 20.19 or later with npm is needed")

    @unittest.skipUnless(HAS_NODE, "no Node with npm")
    def test_npm_fails(self):
        with tempfile.TemporaryDirectory() as cache:
            done = self.run_script(npm_config_cache=cache, **OFFLINE)
        self.assert_no_page(done, f"npm failed, see {self.log}")
        self.assertIn("npm error", self.log.read_text())

    def test_what_is_there_stays(self):
        (self.ui / "dist").mkdir()
        (self.ui / "dist" / "index.html").write_text("a page")
        done = self.run_script(**OFFLINE)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual((self.ui / "dist" / "index.html").read_text(), "a page")


if __name__ == "__main__":
    unittest.main()
