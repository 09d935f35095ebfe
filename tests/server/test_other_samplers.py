"""Settings that come near to other samplers: the formulas in docs/reference/server.md."""

import json

import pytest

from program import run_hlg


def points(*flags):
    """(z, g) of the curve. With no pivot offset z is minus the distance from the top token."""
    done = run_hlg("curve", "--json", "--hlg-width", "0", "--hlg-toe-shape", "fade", *flags)
    assert done.returncode == 0, done.stderr
    return [(p["z"], p["g"]) for p in json.loads(done.stdout)["points"]]


def test_like_min_p():
    """Plain temperature down to the cut, and d nats below it 10 d*d nats less than that."""
    for z, g in points("--hlg-pivot-offset", "3", "--hlg-shoulder", "off", "--hlg-toe", "0.05"):
        assert g == pytest.approx(z if z > 0 else z - 10 * z * z)


@pytest.mark.parametrize("factor", [0.05, 0.3, 1])
def test_like_quadratic_smoothing(factor):
    """d nats below the top token: factor d*d, and d / T more."""
    temperature = 10
    toe = str(1 / (2 * factor * temperature))
    for z, g in points("--hlg-pivot-offset", "0", "--hlg-toe", toe, "--temp", str(temperature)):
        if z <= 0:
            assert g == pytest.approx(-factor * z * z + z / temperature)
