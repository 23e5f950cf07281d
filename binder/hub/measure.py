"""How many students fit: play a class against a running hub, and say what each one costs.

    MINIGRAD_CLASS_TOKEN=... python binder/hub/measure.py 10 --hub http://127.0.0.1:8000 --at-once 10

The hub is started with the same token, of eight characters or more. Each student logs in, opens the page of lesson 3,
runs all its cells and moves the first player through ten steps. Then the memory of all servers and kernels is read
(Linux; PSS, which shares what is shared), while everybody is still there.
"""

import argparse
import asyncio
import contextlib
import json
import os
import re
import statistics
import time
import uuid
from pathlib import Path

from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

LESSON = "notebooks/en/lessons/03_walk_backward_yourself.ipynb"
STEPS = 10
AsyncHTTPClient.configure(None, max_clients=1000)


class Student:
    """One learner: a name, and the seconds that each thing took."""

    def __init__(self, number, hub, token):
        self.name, self.hub, self.token = f"student{number:03}", hub, token
        self.base, self.took, self.error = f"{hub}/user/student{number:03}", {}, ""

    async def ask(self, url, method="GET", body=None):
        headers = {"Authorization": f"token {self.token}"}
        sent = json.dumps(body or {}) if method == "POST" else None
        answer = await AsyncHTTPClient().fetch(HTTPRequest(url, method, headers, sent, request_timeout=300))
        return answer.body

    async def lesson(self):
        """Start a server, open lesson 3, run it, step."""
        try:
            for name in ("start", "open", "run", "step"):
                begun = time.monotonic()
                await getattr(self, name)()
                self.took[name] = time.monotonic() - begun
        except Exception as error:
            self.error = f"{type(error).__name__}: {error}"

    async def start(self):
        user = f"{self.hub}/hub/api/users/{self.name}"
        for url in (user, f"{user}/server"):
            with contextlib.suppress(HTTPClientError):  # there from the last time; a server that is slow says so below
                await self.ask(url, "POST")
        async with asyncio.timeout(300):
            while not json.loads(await self.ask(user))["servers"].get("", {}).get("ready"):
                await asyncio.sleep(0.5)

    async def open(self):
        await self.ask(f"{self.base}/lab/tree/{LESSON}")
        self.cells = json.loads(await self.ask(f"{self.base}/api/contents/{LESSON}"))["content"]["cells"]
        kernel = json.loads(await self.ask(f"{self.base}/api/kernels", "POST"))["id"]
        address = f"{self.base}/api/kernels/{kernel}/channels".replace("http", "ws", 1)
        headers = {"Authorization": f"token {self.token}"}
        self.kernel = await websocket_connect(HTTPRequest(address, headers=headers), max_message_size=2**28)

    async def run(self):
        self.players = []
        for cell in self.cells:
            if cell["cell_type"] == "code":
                code = "".join(cell["source"])
                for message in await self.send("execute_request", {"code": code, "silent": False}):
                    if message["msg_type"] == "error":
                        raise RuntimeError(f"{cell['id']}: {message['content']['evalue']}")
                    if message["msg_type"] == "comm_open" and "frame" in message["content"]["data"].get("state", {}):
                        self.players.append(message["content"]["comm_id"])

    async def step(self):
        for frame in range(1, STEPS + 1):
            data = {"method": "update", "state": {"frame": frame}, "buffer_paths": []}
            heard = await self.send("comm_msg", {"comm_id": self.players[0], "data": data})
            if not any(m["msg_type"] == "comm_msg" for m in heard):
                raise RuntimeError("the player did not answer")

    async def send(self, kind, content):
        """A message to the kernel, and what it said until it was idle again."""
        wanted, heard = uuid.uuid4().hex, []
        header = {"msg_id": wanted, "msg_type": kind, "session": "measure", "username": "", "version": "5.3"}
        await self.kernel.write_message(json.dumps({
            "header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"}))
        async with asyncio.timeout(300):
            while True:
                message = json.loads(await self.kernel.read_message())
                if message["parent_header"].get("msg_id") == wanted:
                    heard.append(message)
                    if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                        return heard


def memory():
    """MB of PSS of each process of a student: {"student001": {"server": 80, "kernel": 70}}."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            owner = re.search(r"JUPYTERHUB_USER=(student\d+)", (process / "environ").read_bytes().decode())
            pss = re.search(r"(?m)^Pss: +(\d+)", (process / "smaps_rollup").read_text())
        except (OSError, UnicodeDecodeError):
            continue
        if owner and pss:
            kind = "kernel" if "ipykernel" in line else "server"
            sizes = found.setdefault(owner[1], {})
            sizes[kind] = sizes.get(kind, 0) + int(pss[1]) / 1024
    return found


async def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("students", type=int)
    parser.add_argument("--hub", default="http://127.0.0.1:8000")
    parser.add_argument("--at-once", type=int, default=10, help="how many come in the same moment")
    options = parser.parse_args()
    token, gate = os.environ["MINIGRAD_CLASS_TOKEN"], asyncio.Semaphore(options.at_once)
    students = [Student(n, options.hub, token) for n in range(options.students)]

    async def comes(student):
        async with gate:
            await student.lesson()

    begun = time.monotonic()
    await asyncio.gather(*map(comes, students))
    print(f"{options.students} students, {options.at_once} at once: {time.monotonic() - begun:.0f} s for all")
    for name in ("start", "open", "run", "step"):
        seconds = sorted(s.took[name] for s in students if name in s.took)
        if seconds:
            print(f"{name:6} median {statistics.median(seconds):6.2f} s   slowest {seconds[-1]:6.2f} s")
    for student in students:
        if student.error:
            print(f"{student.name} failed: {student.error}")
    print(f"failures: {sum(bool(s.error) for s in students)}")
    sizes = list(memory().values())
    for kind in ("server", "kernel"):
        print(f"{kind}: median {statistics.median([s.get(kind, 0) for s in sizes] or [0]):.0f} MB")
    print(f"a student: median {statistics.median([sum(s.values()) for s in sizes] or [0]):.0f} MB")


if __name__ == "__main__":
    asyncio.run(main())
