"""Drives a headless Chromium by the DevTools protocol over pipes: nothing but Python's standard library and the browser."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def find():
    """Path of a Chromium: $SPMVGEN_CHROMIUM, or one of the usual names; None where there is none."""
    named = os.environ.get("SPMVGEN_CHROMIUM")
    return named if named else next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One page of a browser. Use as a context: it ends the process and removes its files."""

    def __init__(self, path, timeout=60):
        self.timeout, self.buffer, self.number, self.loads = timeout, b"", 0, 0
        self.troubles = []  # errors of the console, exceptions, and anything that the page asked of a network
        self.profile = tempfile.mkdtemp(prefix="spmvgen-chromium-")
        their_in, self.to = os.pipe()
        self.fro, their_out = os.pipe()
        # The browser reads commands at descriptor 3 and answers at 4.
        moved = [os.dup2(descriptor, 50 + i) for i, descriptor in enumerate((their_in, their_out))]

        def place():
            for i, descriptor in enumerate(moved):
                os.dup2(descriptor, 3 + i)

        self.process = subprocess.Popen(
            [path, "--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--no-first-run", "--disable-extensions", "--user-data-dir=" + self.profile, "about:blank"],
            close_fds=False, preexec_fn=place, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for descriptor in (their_in, their_out, *moved):
            os.close(descriptor)
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = None
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    session = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.fro)
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self, until):
        """The next message."""
        while b"\0" not in self.buffer:
            if not select.select([self.fro], [], [], max(0, until - time.monotonic()))[0]:
                raise TimeoutError(f"Chromium did not answer within {self.timeout} s")
            piece = os.read(self.fro, 1 << 16)
            if not piece:
                raise RuntimeError(f"Chromium ended with status {self.process.wait()}")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def note(self, message):
        """Keeps what a page should not do."""
        method, params = message.get("method"), message.get("params", {})
        self.loads += method == "Page.loadEventFired"
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.troubles.append("exception: " + details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.troubles.append(f"log: {params['entry']['text']}")
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.troubles.append("console: " + " ".join(str(a.get("value", a.get("description"))) for a in params["args"]))
        elif method == "Network.requestWillBeSent" and not params["request"]["url"].startswith(("file:", "data:", "about:")):
            self.troubles.append("request: " + params["request"]["url"])

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + self.timeout
        while True:
            answer = self.receive(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.note(answer)

    def open(self, path, width=1280, height=900, dark=False, touch=False, still=False):
        """Loads a file in a window of that size; `still`: the user wants no motion."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=2 if touch else 1, mobile=touch)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                                                          {"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"}])
        # An empty page between: another fragment of the same page would load nothing.
        for url in ("about:blank", "file://" + os.path.abspath(path)):
            self.loads = 0
            self.call("Page.navigate", url=url)
            until = time.monotonic() + self.timeout
            while not self.loads:
                self.note(self.receive(until))

    def evaluate(self, expression):
        """The value of an expression of JavaScript (or of the promise that it is)."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails'].get('exception', {}).get('description')}")
        return answer["result"].get("value")

    def wait(self, expression):
        until = time.monotonic() + self.timeout
        while not self.evaluate(f"Boolean({expression})"):
            if time.monotonic() > until:
                raise TimeoutError(f"not within {self.timeout} s: {expression}")
            time.sleep(0.02)

    def key(self, key, code=None, number=0, text=None, shift=False):
        """Presses a key as a person would: the page sees trusted events."""
        number = number or {"Enter": 13, "Tab": 9, " ": 32, "ArrowRight": 39, "ArrowLeft": 37, "Escape": 27, "End": 35, "Home": 36}.get(key, 0)
        code = code or {" ": "Space"}.get(key, key)
        text = text or {"Enter": "\r", " ": " "}.get(key, key if len(key) == 1 else None)
        common = {"key": key, "code": code, "windowsVirtualKeyCode": number, "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **common, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text):
        for letter in text:
            self.key(letter)

    def screenshot(self, path):
        """A PNG of the window."""
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
