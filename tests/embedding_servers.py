"""Small real HTTP servers on loopback that speak the protocols of embedding services, and fail on request."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import struct
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

WIDTH = 6


def vector_of(text: str, width: int = WIDTH) -> list[float]:
    """A vector that tells its text from others."""
    digest = hashlib.sha256(text.encode()).digest()
    return [float(value) - 127.0 for value in digest[:width]]


@dataclass
class Request:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float = field(default_factory=time.monotonic)

    @property
    def texts(self) -> list[str]:
        return self.body["input"]


@dataclass
class Reply:
    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    hang: float = 0.0
    reset_after: int | None = None
    drip: float = 0.0
    """Seconds between one byte and the next, of the head too."""
    endless: bool = False


Script = Callable[[int, Request], Reply | None]


def openai_body(texts: list[str], request: Request, order: list[int] | None = None) -> dict[str, Any]:
    width = request.body.get("dimensions", WIDTH)
    packed = request.body.get("encoding_format") == "base64"

    def row(text: str) -> Any:
        numbers = vector_of(text, width)
        return base64.b64encode(struct.pack(f"<{width}f", *numbers)).decode() if packed else numbers

    data = [{"object": "embedding", "index": i, "embedding": row(text)} for i, text in enumerate(texts)]
    data = data if order is None else [data[i] for i in order]
    return {"object": "list", "data": data, "model": "m", "usage": {"prompt_tokens": 1, "total_tokens": 1}}


def ollama_body(texts: list[str], request: Request) -> dict[str, Any]:
    return {"model": "m", "embeddings": [vector_of(text, request.body.get("dimensions") or WIDTH) for text in texts]}


class Server:
    """One server: `script` may answer for it; else it embeds."""

    def __init__(self, script: Script | None = None) -> None:
        self.requests: list[Request] = []
        self.script = script or (lambda number, request: None)
        self.n_written = 0
        """Bytes of answers that drip or never end."""
        self._lock = threading.Lock()
        self._closing = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args: object) -> None:
                pass

            def handle_one_request(self) -> None:
                with contextlib.suppress(ConnectionError):  # a client that has hung up
                    super().handle_one_request()

            def do_GET(self) -> None:
                self._answer(outer._take(self.path, dict(self.headers), {}))

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
                self._answer(outer._take(self.path, dict(self.headers), body))

            def _answer(self, reply: Reply) -> None:
                if reply.hang:
                    outer._closing.wait(reply.hang)
                    self.close_connection = True
                    return
                raw = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
                if reply.drip:
                    head = f"HTTP/1.1 {reply.status} OK\r\nContent-Length: {len(raw)}\r\n\r\n".encode()
                    self._drip(head + raw, reply.drip)
                    return
                self.send_response(reply.status)
                for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                    self.send_header(name, value)
                if reply.endless:
                    self.send_header("Transfer-Encoding", "chunked")
                    self.end_headers()
                    self._write_without_end()
                    return
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                if reply.reset_after is not None:
                    self.wfile.write(raw[: reply.reset_after])
                    self.wfile.flush()
                    # linger 0: the line is reset, not closed
                    self.connection.setsockopt(1, 13, struct.pack("ii", 1, 0))
                    self.close_connection = True
                    return
                self.wfile.write(raw)

            def _drip(self, raw: bytes, seconds: float) -> None:
                self.close_connection = True
                with contextlib.suppress(OSError):
                    for place in range(len(raw)):
                        if outer._closing.wait(seconds):
                            return
                        self.wfile.write(raw[place : place + 1])
                        outer.n_written += 1

            def _write_without_end(self) -> None:
                self.close_connection = True
                part = b"[" * 65536
                with contextlib.suppress(OSError):
                    while not outer._closing.is_set():
                        self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                        outer.n_written += len(part)

        self._httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._httpd.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._httpd.server_port}"
        self._thread = threading.Thread(target=self._httpd.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def _take(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Reply:
        request = Request(path, {name.lower(): value for name, value in headers.items()}, body)
        if path == "/api/tags":
            return Reply(body={"models": [{"model": "m:latest", "name": "m:latest", "digest": "sha256:abc"}]})
        with self._lock:
            self.requests.append(request)
            number = len(self.requests)
        reply = self.script(number, request)
        if reply is not None:
            return reply
        if path.endswith("/api/embed"):
            return Reply(body=ollama_body(request.texts, request))
        return Reply(body=openai_body(request.texts, request))

    @property
    def sent(self) -> list[str]:
        return [text for request in self.requests for text in request.texts]

    def close(self) -> None:
        self._closing.set()
        self._httpd.shutdown()
        self._httpd.server_close()


@contextlib.contextmanager
def serving(script: Script | None = None) -> Iterator[Server]:
    server = Server(script)
    try:
        yield server
    finally:
        server.close()
