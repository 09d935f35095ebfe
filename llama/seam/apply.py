#!/usr/bin/env python3
"""Makes the insertions of rules.py in a llama.cpp tree.

usage: apply.py TREE

Nothing is written unless every rule fits; else there is one line for each that does not. A second
run changes nothing.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from rules import RULES, Rule  # noqa: E402


class Misfit(Exception):
    """Rules that do not fit, one line each."""


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
    """{path: new text} of the files that change. Writes nothing; raises Misfit with all misfits."""
    rules = RULES if rules is None else rules
    texts, changed, misfits = {}, {}, []
    for rule in rules:
        path = tree / rule.file
        try:
            if path not in texts:
                texts[path] = path.read_text(encoding="utf-8")
            new = apply_rule(texts[path], rule)
            if new != texts[path]:
                texts[path] = changed[path] = new
        except OSError as error:
            misfits.append(f"seam: rule '{rule.name}' cannot read {rule.file}: {error.strerror}")
        except Misfit as error:
            misfits.append(str(error))
    if misfits:
        total = f"seam: {len(misfits)} of {len(rules)} rules do not fit {tree}; nothing was written"
        raise Misfit("\n".join([*misfits, total]))
    return changed


def write(texts: dict) -> None:
    """All new files beside the old ones, then into their places: a full disk changes nothing."""
    beside = {path: path.with_name(path.name + ".hlg-new") for path in texts}
    try:
        for path, text in texts.items():
            beside[path].write_text(text, encoding="utf-8")
        for path, new in beside.items():
            os.replace(new, path)
    finally:
        for new in beside.values():
            if new.is_file():
                new.unlink()


def main(argv) -> int:
    if len(argv) != 2 or argv[1] in ("-h", "--help"):
        print(__doc__.strip(), file=sys.stdout if len(argv) == 2 else sys.stderr)
        return 0 if len(argv) == 2 else 2
    tree = Path(argv[1])
    try:
        if not tree.is_dir():
            raise Misfit(f"seam: no such directory: {tree}")
        changed = apply_all(tree)
        write(changed)
    except (Misfit, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"seam: {len(RULES)} rules in place, {len(changed)} files changed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
