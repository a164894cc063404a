"""A cache of Python under measurement: `caches.py ORDER` does the work of an order, and prints the outcome as JSON."""

import importlib
import json
import os
import resource
import sqlite3
import sys
import time

# Nearby requests are for names that are far apart.
STEP = 7919


class RequestsCache:
    """The package `requests-cache`."""

    def __init__(self, path, is_filled):
        import requests_cache

        backend = requests_cache.SQLiteCache(path, fast_save=is_filled) if path else "memory"
        self.session = requests_cache.CachedSession(backend=backend, cache_control=True)

    def get(self, url):
        response = self.session.get(url)
        return response.json()["id"], response.from_cache


class Hishel:
    """The package `hishel`, with `httpx`."""

    def __init__(self, path, is_filled):
        import hishel
        import hishel.httpx

        connection = sqlite3.connect(path, check_same_thread=False)
        if is_filled:
            connection.execute("PRAGMA synchronous = OFF")
        self.client = hishel.httpx.CacheClient(
            storage=hishel.SqliteStorage(connection=connection), rfc=True
        )

    def get(self, url):
        response = self.client.get(url)
        return response.json()["id"], response.extensions["caching"]["from_cache"]


def open_cache(order):
    path = os.path.join(order["cache"], "documents.sqlite")
    is_filled = order["isPreparation"]
    if order["side"] == "hishel, SQLite":
        return Hishel(path, is_filled)
    return RequestsCache(None if order["side"].endswith("memory") else path, is_filled)


def fill(order):
    cache = open_cache(order)
    for number in range(order["entries"]):
        cache.get(f"{order['url']}/{number}")


def read(order, cache, urls):
    total = 0
    for url in urls:
        identifier, is_stored = cache.get(url)
        if not is_stored:
            sys.exit("a document was not stored")
        total += identifier
    return total


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def outcome(order, start, cpu, total, first=None):
    return {
        "seconds": time.monotonic() - start,
        "cpuSeconds": cpu_seconds() - cpu,
        "peakMemory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "threads": 1,
        "units": order["requests"],
        "checksum": total,
        "firstMilliseconds": first,
    }


def measure_one(order):
    cache = open_cache(order)
    for _ in range(4):
        cache.get(order["url"])
    start, cpu = time.monotonic(), cpu_seconds()
    total = read(order, cache, [order["url"]] * order["requests"])
    return outcome(order, start, cpu, total)


def measure_many(order):
    urls = [f"{order['url']}/{number * STEP % order['entries']}" for number in range(order["requests"])]
    start, cpu = time.monotonic(), cpu_seconds()
    cache = open_cache(order)
    total = read(order, cache, urls[:1])
    first = (time.monotonic() - start) * 1000
    total += read(order, cache, urls[1:])
    return outcome(order, start, cpu, total, first)


def main():
    order = json.loads(sys.argv[1])
    # Loading modules is not opening a cache.
    for name in ["hishel.httpx"] if order["side"].startswith("hishel") else ["requests_cache"]:
        importlib.import_module(name)
    if order["isPreparation"]:
        fill(order)
    else:
        print(json.dumps({"stored": measure_one, "storedAmongMany": measure_many}[order["kind"]](order)))


main()
