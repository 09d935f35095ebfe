"""Files as the program's commands write them, made up for the tests."""
import itertools
import json
import math
import random

PROMPTS = [{"id": "text-01", "kind": "text", "text": "The sea"},
           {"id": "maths-01", "kind": "maths", "text": "6 times 7 is", "answer": "42"}]
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


def sweep_row(sampler, shape, gain, cost, pareto):
    on = sampler == "hlg"
    return {"model": "smollm2", "sampler": sampler, "temperature": 1 + gain, "cut": "",
            "pivot": "top" if on else "", "pivot_offset": 6 if on else "",
            "width": 4 if on else "", "shoulder": "off" if on else "", "toe": 6 if on else "",
            "toe_shape": shape, "rows": 8, "near_greedy_rows": 2, "entropy_gain": gain,
            "top_lowered": gain / 4, "deep_tail": cost / 10, "near_greedy_loss": cost / 100,
            "harm": cost, "harm_model": "smollm2", "pareto": pareto}


def sweep():
    gains = [-0.25, 0.125, 0.25, 0.625, 1.125]
    arms = [("hlg", "log", 0.5), ("hlg", "fade", 0.125), ("temperature", "", 0.25)]
    return [sweep_row(sampler, shape, gain, (gain + 0.5) * slope, int(shape == "fade"))
            for sampler, shape, slope in arms for gain in gains]


FIT = [{"model": "smollm2", "points": [{"z": 0, "harm": 0.01, "se": 0.005},
                                       {"z": -3.5, "harm": 0.03, "se": 0.01},
                                       {"z": -11, "harm": 0.3, "se": 0.02}],
        "fits": [{"shape": "fade", "pivot_offset": 5.5, "width": 2.0, "shoulder": 1000.0,
                  "toe": 3.25, "lambda": 30.5, "constant": 0.1, "residual": 0.001, "chi2": 2.25,
                  "dof": 0, "harm": [0.01, 0.04, 0.3]},
                 {"shape": "line with cut-off", "cut": -7.25, "lambda": None, "constant": None,
                  "residual": 0.002, "chi2": 4.5, "dof": 0, "harm": [0.02, 0.02, 0.3]}]}]
RECORD = {"format": 1, "program": "0.2.0", "rows": 8, "seed": 1, "lanes": 2, "complete": True,
          "model": {"file": "smollm2.gguf", "sha256": "b179" * 16, "n_vocab": 49152},
          "prompts": {"file": "prompts.jsonl", "sha256": "00" * 32}}


def folder(path):
    """Everything that goes into a report, but for what score makes."""
    path.mkdir(parents=True)
    for name, text in (("prompts.jsonl", jsonl(PROMPTS)), ("texts.jsonl", jsonl(texts())),
                       ("harm.json", json.dumps({"model": {"file": "a/smollm2.gguf"}})),
                       ("record.json", json.dumps(RECORD)), ("kl.csv", csv(kl())),
                       ("sweep.csv", csv(sweep())), ("fit.json", json.dumps(FIT))):
        (path / name).write_text(text)
    return path
