"""Case 18: 32 clients, 20 requests of each, every kind and setting."""
import subprocess

from program import REPO


def test_soak(tmp_path):
    done = subprocess.run([str(REPO / "scripts/soak"), "--out", str(tmp_path / "soak.md")],
                          capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "| faults | 0 |" in (tmp_path / "soak.md").read_text()
