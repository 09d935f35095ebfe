#!/usr/bin/env python3
"""Makes the insertions of rules.py in a llama.cpp tree.

usage: apply.py TREE

Nothing is written unless every rule fits. A second run changes nothing.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from rules import RULES, Rule  # noqa: E402


class Misfit(Exception):
    """A rule whose anchor is not there as often as it must be."""


def apply_rule(text: str, rule: Rule) -> str:
    """The text with the rule made; unchanged where it was made before."""
    made = text.count(rule.result)
    anchors = text.count(rule.anchor)
    left = rule.count if rule.anchor in rule.result else 0
    if made == rule.count and anchors == left:
        return text
    if made == 0 and anchors == rule.count:
        return text.replace(rule.anchor, rule.result)
    raise Misfit(
        f"seam: rule '{rule.name}' does not fit {rule.file}: its anchor occurs {anchors} times, "
        f"expected {rule.count} (already made {made} times)"
    )


def apply_all(tree: Path, rules=None) -> dict:
    """{path: new text} of the files that change. Raises Misfit or OSError, writes nothing."""
    texts, changed = {}, {}
    for rule in RULES if rules is None else rules:
        path = tree / rule.file
        if path not in texts:
            texts[path] = path.read_text(encoding="utf-8")
        new = apply_rule(texts[path], rule)
        if new != texts[path]:
            texts[path] = changed[path] = new
    return changed


def write(path: Path, text: str) -> None:
    beside = path.with_name(path.name + ".hlg-new")
    beside.write_text(text, encoding="utf-8")
    os.replace(beside, path)


def main(argv) -> int:
    if len(argv) != 2 or argv[1] in ("-h", "--help"):
        print(__doc__.strip(), file=sys.stdout if len(argv) == 2 else sys.stderr)
        return 0 if len(argv) == 2 else 2
    try:
        changed = apply_all(Path(argv[1]))
        for path, text in changed.items():
            write(path, text)
    except (Misfit, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"seam: {len(RULES)} rules in place, {len(changed)} files changed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
