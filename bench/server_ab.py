#!/usr/bin/env python3
"""Decode speed of `hlg serve` with HLG on against llama.cpp's default chain, in interleaved pairs.

usage: bench/server_ab.py MODEL.gguf [--pairs 20] [--tokens 64] [--hlg JSON]

One server, one slot, one thread. Each pair is one request without HLG (the default chain: top-k
40, top-p, min-p, temperature) and one with it, the order alternating; both generate the same number
of tokens from one cached prompt. Printed: tokens per second of both, the median of the pairs'
ratios (above 1: HLG is faster) and its 95 % interval (bootstrap over pairs). On a busy machine
the numbers are worth nothing: the load average is printed too.
"""
import argparse
import json
import os
import random
import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))
from local_server import Server  # noqa: E402
from model_sources import Failure, say  # noqa: E402

PROMPT = "Once upon a time, in a small town by the sea,"
FLAGS = ["-c", "2048", "--threads", "1", "--threads-batch", "1"]


def decode_speed(server, n_tokens, hlg, seed):
    """Tokens per second of one request, by the server's own clock."""
    body = {"prompt": PROMPT, "n_predict": n_tokens, "ignore_eos": False, "seed": seed,
            "temperature": 0.8, "hlg": hlg}
    return server.post("/completion", body)["timings"]["predicted_per_second"]


def interval(ratios, rounds=5000):
    """The 95 % bootstrap interval of the median."""
    rng = random.Random(1)
    medians = sorted(statistics.median(rng.choices(ratios, k=len(ratios))) for _ in range(rounds))
    return medians[int(0.025 * rounds)], medians[int(0.975 * rounds)]


def measure(server, args):
    on = {"enabled": True, **json.loads(args.hlg)}
    off = {"enabled": False}
    speeds = {"on": [], "off": []}
    for pair in range(-2, args.pairs):  # two for warmth
        order = [("off", off), ("on", on)]
        for name, hlg in order if pair % 2 else reversed(order):
            speed = decode_speed(server, args.tokens, hlg, seed=100 + pair)
            if pair >= 0:
                speeds[name].append(speed)
    return speeds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--hlg", default='{"toe_shape": "fade"}', help="the hlg object")
    args = parser.parse_args()
    with Server(args.model, *FLAGS) as server:
        speeds = measure(server, args)
    ratios = [on / off for on, off in zip(speeds["on"], speeds["off"])]
    low, high = interval(ratios)
    print("%s, %d pairs of %d tokens, load %.2f" % (Path(args.model).stem, args.pairs, args.tokens,
                                                   os.getloadavg()[0]))
    print("off %.1f tokens/s, on %.1f tokens/s, median ratio on/off %.3f [%.3f, %.3f]" % (
        statistics.median(speeds["off"]), statistics.median(speeds["on"]),
        statistics.median(ratios), low, high))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failure, OSError) as error:
        say(str(error))
        sys.exit(1)
