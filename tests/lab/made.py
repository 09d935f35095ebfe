"""Files as the program's commands write them, made up for the tests."""
import functools
import itertools
import json
import math
import random

PROMPTS = [prompt for number in range(10) for prompt in (
    {"id": "text-%d" % number, "kind": "text", "text": "The sea"},
    {"id": "maths-%d" % number, "kind": "maths", "text": "6 times 7 is", "answer": "42"})]
BANDS = [(0, 0), (-1, 0), (-4, -3), (-12, -10)]
WORDS = {True: " wqide", False: " wide"}
N_PREFIXES = 40


def text_line(values, prefix, band):
    """One text; the further from the top, the likelier its word is broken."""
    prompt = PROMPTS[prefix % len(PROMPTS)]
    low, high = BANDS[band] if band >= 0 else (None, None)
    z = values.uniform(low, high) if band > 0 else 0.0
    broken = values.random() < -z / 12 if band >= 0 else prefix % 10 == 0
    return {"prefix": prefix, "prompt": prompt["id"], "kind": prompt["kind"], "step": 3,
            "band": band, "low": low, "high": high, "z_top": round(z, 6),
            "logprob": round(z - values.uniform(0, 2), 6),
            "z_entropy": round(z + values.gauss(0, 3), 6), "rank": round(math.exp(-z)) - 1,
            "forced": 5, "forced_text": WORDS[broken], "before": prompt["text"],
            "text": " and 42", "ended": False, "judge_nll_forced": round(0.5 - z, 6),
            "judge_nll_rest": round(values.gauss(2, 1), 6)}


def texts():
    values = random.Random(1)
    return [text_line(values, prefix, band) for prefix in range(N_PREFIXES)
            for band in (*range(len(BANDS)), -1)]


def jsonl(records):
    return "".join(json.dumps(record) + "\n" for record in records)


def csv(records):
    lines = [list(records[0]), *(record.values() for record in records)]
    return "".join(",".join(map(str, line)) + "\n" for line in lines)


def kl_row(knob, value, pivot, shape, kind):
    tail = {"log": 0.02, "fade": 0.004}[shape]
    size = value if isinstance(value, float) else 1.0
    return {"model": "smollm2", "knob": knob, "value": value, "pivot": pivot, "toe_shape": shape,
            "temperature": 1, "kind": kind, "rows": 8, "kl_hlg_temp": 0.125, "kl_temp_hlg": 0.25,
            "total_variation": 0.0625, "entropy_before": 2.5, "entropy_after": 2.5 + size / 100,
            "effective_after": 12.5, "deep_tail_before": 0.01, "deep_tail_after": tail / size,
            "top_before": 0.5, "top_after": 0.375, "mass_0_1": 0.75, "mass_over_20": 1e-05}


def kl():
    rows = []
    for knob, values in (("pivot", None), ("width", (1.0, 4.0, "off")), ("toe", (0.05, 6.0, 1e3))):
        for pivot, shape in itertools.product(("top", "entropy"), ("log", "fade")):
            rows += [kl_row(knob, value, pivot, shape, kind) for value in values or (pivot,)
                     for kind in ("all", "text")]
    return rows


SHARES = {0.85: 2.125, 1.0: 2.5, 1.3: 3.25}  # and the entropy of each, nats
# Arm -> the mass that its settings put into the last band at share 1; HLG's defaults come first.
DEEP = {("hlg", "log"): (0.08, 0.06), ("hlg", "fade"): (0.03, 0.02), ("temperature", ""): (0.05,),
        ("top_p", ""): (0.04, 0.045)}
UNREACHED = ("top_p", 1.3)


@functools.cache
def band_harm(parity=None):
    """The share of broken words by band, of all prefixes, the even (0) or the odd ones (1)."""
    broken = [[line["forced_text"] == WORDS[True] for line in texts() if line["band"] == band
               and parity in (None, line["prefix"] % 2)] for band in range(len(BANDS))]
    return [sum(some) / len(some) for some in broken]


def masses(deep, share):
    return [0.6 - deep * share, 0.25, 0.15, deep * share]


def sweep_row(model, sampler, shape, share, number):
    deep, on = DEEP[sampler, shape][number], sampler == "hlg"
    by_band = masses(deep, share)
    row = {"model": model, "sampler": sampler, "entropy_share": share, "entropy": SHARES[share],
           "temperature": share + deep, "cut": 0.9 + number / 100 if sampler == "top_p" else "",
           "pivot": "top" if on else "", "pivot_offset": 6 if on else "",
           "width": 4 if on else "", "shoulder": (4, "off")[number] if on else "",
           "toe": 6 if on else "", "toe_shape": shape, "rows": 8, "near_greedy_rows": 2,
           "top_lowered": deep / 2, "deep_tail": deep * share / 10,
           "near_greedy_loss": 0.01 - deep / 10,
           "harm": sum(mass * harm for mass, harm in zip(by_band, band_harm())),
           "harm_model": model, "pareto": int(shape == "fade")}
    row.update(("band_%d" % k, "" if model == "all" else mass) for k, mass in enumerate(by_band))
    return row


def sweep():
    return [sweep_row(model, sampler, shape, share, number) for model in ("smollm2", "all")
            for share in SHARES for sampler, shape in DEEP if (sampler, share) != UNREACHED
            for number in range(len(DEEP[sampler, shape]))]


FIT = [{"model": "smollm2", "repeats": 200, "fade_better": 0.925, "log_better": 0.05,
        "points": [{"z": 0, "harm": 0.01, "se": 0.005}, {"z": -3.5, "harm": 0.03, "se": 0.01},
                   {"z": -11, "harm": 0.3, "se": 0.02}],
        "fits": [{"shape": "fade", "pivot_offset": 5.5, "width": 2.0, "shoulder": 1000.0,
                  "toe": 3.25, "lambda": 30.5, "constant": 0.1, "residual": 0.001, "chi2": 2.25,
                  "dof": 0, "harm": [0.01, 0.04, 0.3],
                  "intervals": {"pivot_offset": [4.5, 6], "toe": [2.125, 7.5]}},
                 {"shape": "line with cut-off", "cut": -7.25, "lambda": None, "constant": None,
                  "residual": 0.002, "chi2": 4.5, "dof": 0, "harm": [0.02, 0.02, 0.3]}]}]
RECORD = {"format": 1, "program": "0.2.0", "rows": 8, "seed": 1, "lanes": 2, "threads": 3,
          "complete": True, "prompts": {"file": "prompts.jsonl", "sha256": "00" * 32},
          "model": {"file": "smollm2.gguf", "sha256": "b179" * 16, "n_vocab": 49152}}
HARM = {**RECORD, "prefixes": N_PREFIXES, "tokens": 24,
        "judge": {"file": "gemma.gguf", "sha256": "a5fd" * 16}}


def folder(path):
    """Everything that goes into a report, but for what score makes."""
    path.mkdir(parents=True)
    for name, text in (("prompts.jsonl", jsonl(PROMPTS)), ("texts.jsonl", jsonl(texts())),
                       ("harm.json", json.dumps(HARM)), ("record.json", json.dumps(RECORD)),
                       ("kl.csv", csv(kl())),
                       ("sweep.csv", csv(sweep())), ("fit.json", json.dumps(FIT))):
        (path / name).write_text(text)
    return path
