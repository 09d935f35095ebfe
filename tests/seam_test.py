"""The seam: every rule fits the pinned llama.cpp, is made once, and fails by its name.

usage: seam_test.py TREE    (the llama.cpp tree of the build, with its git history)
"""

import io
import re
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "llama" / "seam"))
import apply  # noqa: E402
from rules import RULES, Rule  # noqa: E402

TREE = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else None
FILES = sorted({rule.file for rule in RULES})


def run(*argv):
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        status = apply.main(["apply.py", *map(str, argv)])
    return status, out.getvalue()


class Seam(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.tree = Path(self.folder.name)
        for file in FILES:
            text = subprocess.run(["git", "show", f"HEAD:{file}"], cwd=TREE, check=True,
                                  capture_output=True).stdout
            (self.tree / file).parent.mkdir(parents=True, exist_ok=True)
            (self.tree / file).write_bytes(text)

    def tearDown(self):
        self.folder.cleanup()

    def texts(self):
        return {file: (self.tree / file).read_text() for file in FILES}

    def test_list(self):
        """Printed so that a reader of the log sees every change made to llama.cpp."""
        for rule in RULES:
            print(f"  {rule.count} x {rule.file}: {rule.name}")
        self.assertEqual(len({rule.name for rule in RULES}), len(RULES), "names are unique")

    def test_rules_fit_and_a_second_run_changes_nothing(self):
        before = self.texts()
        self.assertEqual(run(self.tree)[0], 0)
        once = self.texts()
        for file in FILES:
            self.assertNotEqual(before[file], once[file], file)
        status, said = run(self.tree)
        self.assertEqual((status, self.texts()), (0, once))
        self.assertIn("0 files changed", said)

    def test_each_rule_occurs_as_often_as_it_says(self):
        run(self.tree)
        for rule in RULES:
            self.assertEqual((self.tree / rule.file).read_text().count(rule.result), rule.count,
                             rule.name)

    def test_the_build_uses_these_rules(self):
        run(self.tree)
        for file in FILES:
            self.assertEqual((self.tree / file).read_text(), (TREE / file).read_text(), file)

    def test_a_lost_anchor_stops_by_name_and_writes_nothing(self):
        for rule in RULES:
            path = self.tree / rule.file
            text = path.read_text()
            path.write_text(text.replace(rule.anchor, "/* moved away */", 1))
            before = self.texts()
            status, said = run(self.tree)
            self.assertEqual(status, 1, rule.name)
            self.assertIn(rule.file, said)
            self.assertIn("does not fit", said)
            self.assertEqual(self.texts(), before, rule.name)
            path.write_text(text)

    def test_one_anchor_too_many_stops_by_name(self):
        rule = RULES[0]
        path = self.tree / rule.file
        path.write_text(path.read_text() + rule.anchor)
        status, said = run(self.tree)
        self.assertEqual(status, 1)
        self.assertIn(f"'{rule.name}'", said)

    def test_all_misfits_are_named_in_one_run(self):
        """An upgrade wants the whole list: two lost anchors and a file that has moved."""
        lost = [rule for rule in RULES if rule.file == "common/sampling.cpp"][:2]
        path = self.tree / lost[0].file
        for rule in lost:
            path.write_text(path.read_text().replace(rule.anchor, "/* moved away */"))
        gone = [rule for rule in RULES if rule.file == "tools/server/server-task.cpp"]
        (self.tree / gone[0].file).unlink()
        before = path.read_text()
        status, said = run(self.tree)
        *lines, total = said.splitlines()
        self.assertEqual(status, 1)
        self.assertEqual(len(lines), len(lost + gone), said)
        for line, rule in zip(lines, lost + gone):
            self.assertIn(f"'{rule.name}'", line)
            self.assertIn(rule.file, line)
        self.assertIn(f"{len(lost + gone)} of {len(RULES)} rules", total)
        self.assertEqual(path.read_text(), before)

    def test_a_failed_write_changes_nothing(self):
        """The last file cannot be written, for a folder is in its way: no file is changed."""
        before = self.texts()
        in_the_way = self.tree / (RULES[-1].file + ".hlg-new")
        in_the_way.mkdir()
        status, said = run(self.tree)
        self.assertEqual((status, said.count("\n")), (1, 1), said)
        self.assertIn(in_the_way.name, said)
        self.assertEqual(self.texts(), before)
        self.assertEqual([*self.tree.rglob("*.hlg-new")], [in_the_way])

    def test_half_made_is_refused(self):
        rule = Rule("twice", FILES[0], "x", after="y", count=2)
        with self.assertRaises(apply.Misfit):
            apply.apply_rule("xy x", rule)

    def test_documents_name_the_pinned_tag(self):
        tag = re.search(r"^tag=(\S+)", (ROOT / "scripts/setup-llama").read_text(), re.MULTILINE)[1]
        for name in ("README.md", "NOTICES.md", "CHANGELOG.md", "docs/dependencies.md"):
            self.assertIn(tag, (ROOT / name).read_text(), name)

    def test_missing_tree_is_one_line(self):
        status, said = run(self.tree / "nowhere")
        self.assertEqual((status, said.count("\n")), (1, 1))
        self.assertIn("nowhere", said)


if __name__ == "__main__":
    unittest.main()
