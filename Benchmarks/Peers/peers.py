"""A client of Python under measurement: `peers.py CLIENT URL KIND COUNT SIZE` prints the outcome as JSON."""

import asyncio
import json
import os
import random
import resource
import string
import sys
import time

IDLE_TIME = 60


class WebSockets:
    """The package `websockets`."""

    async def open(self, url):
        import websockets

        return await websockets.connect(url, compression=None, ping_interval=30)

    async def send(self, socket, text):
        await socket.send(text)

    async def receive(self, socket):
        return await socket.recv()


class AIOHTTP:
    """The package `aiohttp`."""

    session = None

    async def open(self, url):
        import aiohttp

        if self.session is None:
            self.session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
        return await self.session.ws_connect(url, compress=0, heartbeat=30)

    async def send(self, socket, text):
        await socket.send_str(text)

    async def receive(self, socket):
        return (await socket.receive()).data


class Meter:
    def __init__(self):
        self.start, self.started_cpu = time.monotonic(), self.cpu_seconds()

    @staticmethod
    def cpu_seconds():
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return usage.ru_utime + usage.ru_stime

    @staticmethod
    def resident_memory():
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmRSS:"))

    def outcome(self, units, **more):
        return {
            "seconds": time.monotonic() - self.start,
            "cpuSeconds": self.cpu_seconds() - self.started_cpu,
            "peakMemory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "units": units,
            **more,
        }


def make_text(size):
    """Returns irregular letters, in which a moved one shows."""
    return "".join(random.Random(1).choices(string.ascii_lowercase, k=size))


async def verify_echoes(client, url, size):
    """Compares some echoes with what was sent, by a WebSocket of its own, so that measuring takes no time for it."""
    socket, text = await client.open(url), make_text(size)
    for start in range(10):
        sent = text[start:] + text[:start]
        await client.send(socket, sent)
        if await client.receive(socket) != sent:
            sys.exit("an echo differs")
    await socket.close()


async def echoed(client, url, count, size):
    socket, text = await client.open(url), make_text(size)
    meter = Meter()

    async def send_all():
        for _ in range(count):
            await client.send(socket, text)

    sending = asyncio.create_task(send_all())
    echoes = 0
    for _ in range(count):
        echoes += len(await client.receive(socket)) == size
    await sending
    return meter.outcome(echoes)


async def turns(client, url, count, size):
    socket, text = await client.open(url), make_text(size)
    meter = Meter()
    echoes = 0
    for _ in range(count):
        await client.send(socket, text)
        echoes += len(await client.receive(socket)) == size
    return meter.outcome(echoes)


async def keep_open(client, url, count, size):
    sockets = await asyncio.gather(*[client.open(url) for _ in range(100)])
    before = Meter.resident_memory()
    while len(sockets) < 100 + count:
        sockets += await asyncio.gather(*[client.open(url) for _ in range(50)])
    bytes_per_socket = (Meter.resident_memory() - before) / count
    # With aiohttp, a pong is read only while a message is awaited.
    receiving = [asyncio.create_task(client.receive(socket)) for socket in sockets]
    meter = Meter()
    await asyncio.sleep(IDLE_TIME)
    return meter.outcome(len(receiving) - 100, bytesPerSocket=bytes_per_socket)


def main():
    name, url, kind, count, size = sys.argv[1:]
    client = {"websockets": WebSockets, "aiohttp": AIOHTTP}[name]()
    work = {"echoed": echoed, "turns": turns, "open": keep_open}[kind]

    async def run():
        if kind != "open":
            await verify_echoes(client, url, int(size))
        print(json.dumps(await work(client, url, int(count), int(size))), flush=True)
        # Ten thousand sockets are not to be closed one by one.
        os._exit(0)

    asyncio.run(run())


main()
