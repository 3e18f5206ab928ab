"""A proxy that validates each request and response against an OpenAPI document with openapi-core.

Usage: document_validator.py DOCUMENT TARGET. It prints its address. GET /verdicts returns what it found, and forgets it.
"""
import http.client
import json
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, unquote, urlsplit

from openapi_core import OpenAPI
from openapi_core.datatypes import RequestParameters
from werkzeug.datastructures import Headers, ImmutableMultiDict

document = json.load(open(sys.argv[1], encoding="utf-8"))
target = urlsplit(sys.argv[2]).netloc
api = OpenAPI.from_dict(document)
lock = threading.Lock()
verdicts = []
hop_headers = {"host", "connection", "keep-alive", "accept-encoding", "transfer-encoding", "content-length"}


class Message:
    """A request or a response, as openapi-core reads it."""

    host_url = document["servers"][0]["url"]

    def __init__(self, method, path, headers, body, status=0):
        url = urlsplit(path)
        self.method = method.lower()
        # A slash in a parameter stays escaped, because it ends a segment otherwise.
        self.path = unquote(re.sub('%2f', '%252F', url.path, flags=re.IGNORECASE))
        self.body = self.data = body
        self.status_code = status
        self.headers = Headers(headers)
        self.content_type = self.headers.get("content-type", "application/json").lower()
        query = ImmutableMultiDict(parse_qsl(url.query, keep_blank_values=True))
        self.parameters = RequestParameters(query=query, header=self.headers, cookie=ImmutableMultiDict())


def text_of(error):
    """The innermost reasons of an error."""
    schema_errors = getattr(error.__cause__, "schema_errors", None)
    if schema_errors is None:
        return [f"{error}: {error.__cause__}"]
    return [f"{'.'.join(map(str, each.absolute_path))}: {each.message[:300]}" for each in schema_errors]


def reasons(errors):
    return [text for error in errors for text in text_of(error)]


class Proxy(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_args):
        pass

    def answer(self, status, headers, body):
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in hop_headers:
                self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def forward(self):
        if self.path == "/verdicts":
            with lock:
                body = json.dumps(verdicts).encode()
                verdicts.clear()
            return self.answer(200, [("Content-Type", "application/json")], body)
        length = self.headers.get("content-length")
        sent = self.rfile.read(int(length)) if length is not None else b""
        headers = [(name, value) for name, value in self.headers.items() if name.lower() not in hop_headers]
        request = Message(self.command, self.path, headers, sent)
        refusals = reasons(api.iter_request_errors(request))
        upstream = http.client.HTTPConnection(target)
        upstream.request(self.command, self.path, body=sent if length is not None else None, headers=dict(headers))
        response = upstream.getresponse()
        body = response.read()
        returned = Message(self.command, self.path, response.getheaders(), body, response.status)
        faults = reasons(api.iter_response_errors(request, returned)) if self.command != "HEAD" else []
        with lock:
            verdicts.append(
                {
                    "request": f"{self.command} {self.path}",
                    "body": sent.decode(errors="replace"),
                    "refusals": refusals,
                    "status": response.status,
                    "answer": body.decode(errors="replace")[:2000],
                    "faults": faults,
                }
            )
        self.answer(response.status, response.getheaders(), body)

    do_GET = do_POST = do_PATCH = do_DELETE = do_HEAD = forward


server = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
server.daemon_threads = True
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
