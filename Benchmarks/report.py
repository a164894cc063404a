"""Writes the results that the runners left in Results/ into RESULTS.md, the most telling ratios of them into the README,
and draws charts."""

import json
import math
import re
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plot

HERE = Path(__file__).parent
README = HERE.parent / "README.md"
BEGIN, END = "<!-- ratios: begin -->", "<!-- ratios: end -->"

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


def feeds(results):
    streams, held = [], []
    for row in results["rows"]:
        rate = "failed" if row.get("rate") is None else number(row["rate"]) + " /s"
        if row.get("byteRate"):
            low, high = row["quartiles"]
            ratio = f"{number(row['ratio'])} ({number(low)} to {number(high)})" if low < high else number(row["ratio"])
            streams.append(
                [
                    row["scenario"],
                    row["side"],
                    rate,
                    number(row["byteRate"] / 1e6) + " MB/s",
                    ratio,
                    number(row.get("cpuSeconds")),
                    number(row.get("peakMemory")),
                    str(row.get("threads") or ""),
                ]
            )
        else:
            share = row.get("cpuShare")
            held.append(
                [
                    row["scenario"],
                    row["side"],
                    rate,
                    number(row.get("bytesPerFeed")),
                    number(row.get("peakMemory")),
                    str(row.get("threads") or ""),
                    "" if share is None else f"{number(share * 100)} %",
                ]
            )
    server = ", ".join(line.strip() for line in results["server"].splitlines())
    heading = ["scenario", "client", "events", "bytes", "ratio", "CPU s", "MiB", "threads"]
    held_heading = ["scenario", "client", "events", "bytes a feed", "MiB", "threads", "CPU"]
    return (
        f"{where(results)}. {server}; AsyncHTTPClient 1.37.0.\n\n"
        "How often Streams does what the other does once, the median of the rounds with its quartiles; "
        "processor seconds for 100,000 events; the most memory in MiB; threads.\n\n"
        + table(heading, streams)
        + "\n\nFeeds that are open at the same time, with an event every ten seconds each: what each adds to the "
        "memory of the process; the most memory in MiB; threads; processor time, of one processor.\n\n"
        + table(held_heading, held)
    )


def cache(results):
    rows = []
    for row in results["rows"]:
        rate = row.get("rate")
        rows.append(
            [
                row["scenario"],
                row["side"],
                row["failure"] if rate is None else number(rate) + " /s",
                number(row.get("ratio")),
                "" if rate is None else number(row["cpuSeconds"] * 10),
                number(row.get("firstMilliseconds")),
                number(row.get("peakMemory")),
            ]
        )
    return (
        f"{where(results)}. requests-cache and hishel in the versions of `requirements.txt`.\n\n"
        "How often the first of each scenario does what the other does once, the median of the rounds; processor time "
        "in microseconds for a request; milliseconds until the first document from a folder that was filled before; the "
        "most memory in MiB.\n\n"
        + table(["scenario", "client", "rate", "ratio", "CPU µs", "first", "MiB"], rows)
    )


def websockets(results):
    streams, held = [], []
    for row in results["rows"]:
        if row.get("bytesPerSocket"):
            held.append(
                [
                    row["scenario"],
                    row["side"],
                    number(row["bytesPerSocket"]),
                    number(row["peakMemory"]),
                    f"{number(row['cpuShare'] * 100)} %",
                ]
            )
        else:
            rate = row.get("rate")
            streams.append(
                [
                    row["scenario"],
                    row["side"],
                    "failed" if rate is None else number(rate) + " /s",
                    "" if rate is None else number(row["byteRate"] / 1e6) + " MB/s",
                    number(row.get("ratio")),
                    number(row.get("cpuMicroseconds")),
                    number(row.get("peakMemory")),
                ]
            )
    return (
        f"{where(results)}.\n\n"
        "Messages and bytes a second, each way; how often Streams does what the other does once, the median of the "
        "rounds; processor time in microseconds for a message and its echo; the most memory in MiB.\n\n"
        + table(["scenario", "client", "messages", "bytes", "ratio", "CPU µs", "MiB"], streams)
        + "\n\nWebSockets that are open at the same time: what each adds to the memory of the process; the most memory "
        "in MiB; processor time, of one processor.\n\n"
        + table(["scenario", "client", "bytes a WebSocket", "MiB", "CPU"], held)
    )


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


def row(results, scenario, side):
    return next(row for row in results["rows"] if row["scenario"] == scenario and row["side"] == side)


def ratios(operators, http):
    """The README's table: the ratios that tell most."""
    rows = []
    if operators:
        against = [c["sides"]["OpenCombine"]["ratio"] for c in operators["comparisons"] if "OpenCombine" in c["sides"]]
        rows.append(
            [
                f"Operators against OpenCombine, geometric mean of {len(against)} pipelines",
                f"{number(geometric_mean(against))} times as fast",
            ]
        )
    if http:
        documents = []
        for version in ("HTTP/1.1", "HTTP/2"):
            name = f"documents, {version}, 16 at once"
            ours, theirs = row(http, name, "Streams"), row(http, name, "AsyncHTTPClient")
            share = number(ours["cpuSeconds"] / theirs["cpuSeconds"], 2)
            documents.append(f"{number(theirs['ratio'])} times as many by {version}, for {share} of the processor time")
        rows.append(["JSON documents a second against AsyncHTTPClient, 16 at once", "; ".join(documents)])
        download = row(http, "download of 1 GiB", "AsyncHTTPClient")["ratio"]
        rows.append(["A download of 1 GiB against AsyncHTTPClient", f"{number(download)} times the rate"])
        held = [row(http, "10,000 streamed responses", side) for side in ("Streams", "AsyncHTTPClient")]
        share = held[0]["peakMemory"] / held[1]["peakMemory"]
        rows.append(["10,000 open streams against AsyncHTTPClient", f"{number(share, 2)} of the memory"])
    text = "\n".join(f"| {what} | {ratio} |" for what, ratio in rows)
    return f"| Measured | Ratio |\n| --- | --- |\n{text}\n\n[All results](Benchmarks/RESULTS.md) are of one run of one command."


def main():
    parts = ["# Results", "Written by `./report`. [README.md](README.md) says how each is measured."]
    names = ("operators", "http", "cache", "feeds", "websockets")
    results = {name: load(f"{name}.json") for name in names}
    if results["operators"]:
        parts += ["## Operators", operators(results["operators"]), "![Operators against OpenCombine](operators.svg)"]
        draw_operators(results["operators"])
    if results["http"]:
        parts += ["## HTTP", http(results["http"]), "![HTTP clients](http.svg)"]
        draw_http(results["http"])
    if results["cache"]:
        parts += ["## Cache", cache(results["cache"])]
    if results["feeds"]:
        parts += ["## Feeds", feeds(results["feeds"])]
    if results["websockets"]:
        parts += ["## WebSockets", websockets(results["websockets"])]
    (HERE / "RESULTS.md").write_text("\n\n".join(parts) + "\n")
    section = BEGIN + "\n" + ratios(results["operators"], results["http"]) + "\n" + END
    README.write_text(re.sub(f"{BEGIN}.*{END}", lambda _: section, README.read_text(), flags=re.DOTALL))


main()
