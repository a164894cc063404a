"""Writes the results that the runners left in Results/ into the README's benchmark section, and draws charts of them."""

import json
import math
import re
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plot

HERE = Path(__file__).parent
README = HERE.parent / "README.md"
BEGIN, END = "<!-- benchmarks: begin -->", "<!-- benchmarks: end -->"

# The same results make the same file.
matplotlib.rcParams["svg.hashsalt"] = "streams"
METADATA = {"Date": None}


def load(name):
    path = HERE / "Results" / name
    return json.loads(path.read_text()) if path.exists() else None


def number(value, digits=3):
    if value is None:
        return ""
    if value >= 10 ** (digits - 1):
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"


def table(heading, rows):
    lines = [heading, ["---"] + ["---:"] * (len(heading) - 1)] + rows
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def where(results):
    machine = results["machine"]
    return (
        f"{machine['processor']}, {machine['cores']} cores, {machine['system']}, {machine['compiler']}, "
        f"{machine['date']}"
    )


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def operators(results):
    peers = ["OpenCombine", "AsyncAlgorithms", "loop"]
    rows = []
    for comparison in results["comparisons"]:
        sides = comparison["sides"]
        own = sides["Streams"]
        ratios = [number(sides[peer]["ratio"]) if peer in sides else "" for peer in peers]
        allocations = [
            number(round(sides[side]["allocations"], 2)) if side in sides and "allocations" in sides[side] else ""
            for side in ("Streams", "OpenCombine")
        ]
        rows.append([f"{comparison['name']}, {comparison['unit']}", number(own["time"]), *ratios, *allocations])
    ratios = [c["sides"]["OpenCombine"]["ratio"] for c in results["comparisons"] if "OpenCombine" in c["sides"]]
    text = (
        f"{where(results)}. OpenCombine 0.14.0, swift-async-algorithms 1.1.4.\n\n"
        "Nanoseconds, then how many times longer others take, then allocations, ours and OpenCombine's. "
        f"Against OpenCombine the geometric mean is {number(geometric_mean(ratios))}, "
        f"the least {number(min(ratios))}.\n\n"
    )
    heading = ["pipeline, for each", "ns", "OpenCombine", "AsyncAlgorithms", "loop", "allocations", "OpenCombine's"]
    text += table(heading, rows)
    if memory := results.get("memory"):
        ours, theirs = memory["sides"]["Streams"], memory["sides"]["OpenCombine"]
        text += (
            f"\n\nA live `passthrough.map.filter.sink` takes {number(ours['bytes'])} bytes, "
            f"with OpenCombine {number(theirs['bytes'])}."
        )
    return text


def http(results):
    rows = []
    for row in results["rows"]:
        is_bulk = row["unit"] == "bytes/s"
        rate = row.get("rate")
        latencies = " / ".join(number(latency) for latency in row.get("latencies") or [])
        rows.append(
            [
                row["scenario"],
                row["side"],
                "failed" if rate is None else number(rate / 1e6) + " MB/s" if is_bulk else number(rate) + " /s",
                number(row.get("ratio")),
                number(row.get("cpuSeconds")),
                number(row.get("peakMemory")),
                str(row.get("threads") or ""),
                latencies,
            ]
        )
    server = ", ".join(line.strip() for line in results["server"].splitlines())
    text = (
        f"{where(results)}. {server}; AsyncHTTPClient 1.37.0.\n\n"
        "How often Streams does what the other does once, the median of the rounds rather than the rates' quotient; "
        "processor seconds for 100,000 requests or a gibibyte; "
        "the most memory in MiB; threads; milliseconds that 50, 99 and 99.9 % take at most.\n\n"
    )
    return text + table(["scenario", "client", "rate", "ratio", "CPU s", "MiB", "threads", "latency"], rows)


def draw_operators(results):
    pairs = [
        (c["name"], c["sides"]["OpenCombine"]["ratio"]) for c in results["comparisons"] if "OpenCombine" in c["sides"]
    ]
    pairs.sort(key=lambda pair: pair[1])
    figure, axes = plot.subplots(figsize=(9, 0.24 * len(pairs) + 1))
    axes.barh([name for name, _ in pairs], [ratio for _, ratio in pairs], color="#3b6ea5")
    axes.set_xscale("log")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xlabel("times as fast as OpenCombine")
    axes.margins(y=0.01)
    figure.savefig(HERE / "operators.svg", bbox_inches="tight", metadata=METADATA)


def draw_http(results):
    scenarios = {}
    for row in results["rows"]:
        if row.get("rate"):
            scenarios.setdefault(row["scenario"], []).append(row)
    figure, axes = plot.subplots(figsize=(9, 0.75 * len(scenarios) + 1))
    sides = ["Streams", "AsyncHTTPClient", "URLSession", "transport alone", "libcurl loop", "curl"]
    colors = dict(zip(sides, ["#3b6ea5", "#d98b3a", "#a33b3b", "#9db8d2", "#8a8a8a", "#555555"]))
    for index, rows in enumerate(scenarios.values()):
        own = next((row["rate"] for row in rows if row["side"] == "Streams"), None)
        for place, row in enumerate(rows):
            if own:
                label = row["side"] if row["side"] not in axes.get_legend_handles_labels()[1] else None
                axes.barh(index + place * 0.15, row["rate"] / own, 0.14, color=colors[row["side"]], label=label)
    axes.set_yticks([index + 0.27 for index in range(len(scenarios))], list(scenarios))
    axes.invert_yaxis()
    axes.set_xlabel("rate, Streams = 1")
    axes.legend(loc="lower right")
    figure.savefig(HERE / "http.svg", bbox_inches="tight", metadata=METADATA)


def main():
    parts = []
    if results := load("operators.json"):
        parts.append(f"### Operators\n\n{operators(results)}\n\n![Operators against OpenCombine](Benchmarks/operators.svg)")
        draw_operators(results)
    if results := load("http.json"):
        parts.append(f"### HTTP\n\n{http(results)}\n\n![HTTP clients](Benchmarks/http.svg)")
        draw_http(results)
    text = README.read_text()
    section = BEGIN + "\n" + "\n\n".join(parts) + "\n" + END
    README.write_text(re.sub(f"{BEGIN}.*{END}", lambda _: section, text, flags=re.DOTALL))


main()
