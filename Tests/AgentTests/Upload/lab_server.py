#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server for tests: python's own http.server, well and badly behaved, and an own reading of tus 1.0.0.

Prints its port, then serves until its standard input ends. What it stored is read back at /stored.

/take                 stores the body, answers 200
/status/<n>           answers n
/first/<n>/<status>   the first n requests of each body get that status, then like /take
/after/<status>/<x>    that status with Retry-After: <x>, or a date: imf+90, rfc850+90, asctime+90 are 90 s from now; /after/<status> without one
/busy/<seconds>       503 with Retry-After to each body's first request, then like /take
/hang                 takes the request and never answers
/close                closes in the middle of the answer
/endless              answers for ever
/bigheader            a header for ever
/loop                 redirects to itself
/portal               redirects to another host name, whose answer is 200
/to/<port>            redirects to /take at that port, with 307
/moved/<status>       redirects to /take with that status
/options/<n>          n to OPTIONS, and to anything else 412 with Tus-Resumable
/getonly              405 to POST, JSON to GET
/chaos                each body: a fault drawn from its own number of tries, at last stored (faults also after storing)
/tus/requests         what came to /tus and /files: method, path and headers
/tus                  creation; ?at=<port> names a place at that port; ?break=n closes the connection after n bytes of each PATCH but stores what came;
                      ?said=<fields> are the fields of the last answer in the place of Repr-Digest, with SHA-256 and sha256 for those of the bytes
"""
import base64, email.utils, hashlib, json, os, random, sys, threading, time, urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

lock = threading.Lock()
stored, tries, uploads, requests, tus_requests = [], {}, {}, [], []
chance = random.Random(7)


def after(text):
    """A Retry-After (RFC 9110 §10.2.3): as given, or in one of the three forms of §5.6.7 so many seconds from now."""
    form, _, seconds = urllib.parse.unquote(text).partition("+")
    if form not in ("imf", "rfc850", "asctime"):
        return urllib.parse.unquote(text)
    moment = time.time() + int(seconds)
    if form == "imf":
        return email.utils.formatdate(moment, usegmt=True)
    return time.strftime("%A, %d-%b-%y %H:%M:%S GMT" if form == "rfc850" else "%a %b %e %H:%M:%S %Y", time.gmtime(moment))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 20

    def log_message(self, *arguments):
        pass

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def drop(self):
        self.close_connection = True
        self.connection.close()

    def keep(self, body):
        with lock:
            stored.append(body.decode("latin-1"))

    def handle_any(self):
        path = self.path.split("?")[0]
        parts = path.strip("/").split("/")
        if parts[0] in ("tus", "files"):
            return self.tus(parts)
        body = self.body()
        with lock:
            requests.append({"method": self.command, "path": path, "target": self.path,
                             "headers": list(self.headers.items()),
                             "body": body.decode("latin-1")})
            count = tries[body] = tries.get(body, 0) + 1
        if path == "/stored":
            with lock:
                return self.answer(200, json.dumps(stored).encode())
        if path == "/requests":
            with lock:
                return self.answer(200, json.dumps(requests).encode())
        if path == "/take":
            self.keep(body)
            return self.answer(200, b"true")
        if path == "/echo":
            return self.answer(200, body)
        if parts[0] == "say":
            return self.answer(int(parts[1]), body)
        if parts[0] == "status":
            return self.answer(int(parts[1]), b"as asked")
        if parts[0] == "first":
            if count <= int(parts[1]):
                return self.answer(int(parts[2]), b"not yet")
            self.keep(body)
            return self.answer(200, b"true")
        if parts[0] == "busy":
            if count == 1:
                return self.answer(503, b"later", [("Retry-After", parts[1])])
            self.keep(body)
            return self.answer(200, b"true")
        if parts[0] == "after":
            return self.answer(int(parts[1]), b"later", [("Retry-After", after(parts[2]))] if len(parts) > 2 else [])
        if path == "/hang":
            time.sleep(15)
            return self.drop()
        if path == "/close":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
            return self.drop()
        if path in ("/endless", "/bigheader"):
            try:
                self.wfile.write(b"HTTP/1.1 200 OK\r\n")
                if path == "/bigheader":
                    for number in range(1_000_000):
                        self.wfile.write(b"X-%d: %s\r\n" % (number, b"x" * 1000))
                self.wfile.write(b"Content-Length: 10000000000\r\n\r\n")
                for _ in range(10_000):
                    self.wfile.write(b"x" * 1_000_000)
            except OSError:
                pass
            return self.drop()
        if path == "/loop":
            return self.answer(302, b"", [("Location", "/loop")])
        if path == "/portal":
            port = self.server.server_address[1]
            return self.answer(302, b"", [("Location", f"http://localhost:{port}/take")])
        if parts[0] == "to":
            return self.answer(307, b"", [("Location", f"http://127.0.0.1:{parts[1]}/take")])
        if parts[0] == "moved":
            return self.answer(int(parts[1]), b"", [("Location", "/take")])
        if parts[0] == "options":
            if self.command == "OPTIONS":
                return self.answer(int(parts[1]))
            return self.answer(412, b"", [("Tus-Resumable", "1.0.0")])
        if path == "/getonly":
            return self.answer(200, b'{"a":1}') if self.command == "GET" else self.answer(405)
        if path == "/postonly":
            return self.answer(200, b'{"seed":"f2d91e73"}') if body == b"seed=f2d91e73" else self.answer(405)
        if path == "/pagetopost":
            return self.answer(200, b'{"a":1}' if self.command == "GET" else b"<html>")
        if path == "/chaos":
            return self.chaos(body, count)
        self.answer(404)

    def chaos(self, body, count):
        with lock:
            fault = chance.choice(["none", "none", "500", "close", "stored-close", "stored-500", "hang"])
        if fault.startswith("stored") or fault == "none":
            self.keep(body)
        if fault == "none":
            return self.answer(200, b"true")
        if fault.endswith("500"):
            return self.answer(500, b"sorry")
        if fault == "hang":
            time.sleep(0.6)
        self.drop()

    def tus(self, parts):
        if self.command == "GET" and parts == ["tus", "requests"]:
            with lock:
                return self.answer(200, json.dumps(tus_requests).encode())
        with lock:
            tus_requests.append({"method": self.command, "path": self.path, "headers": list(self.headers.items())})
        if self.command == "POST":
            self.body()
            if self.headers["Tus-Resumable"] != "1.0.0":
                return self.answer(412, b"", [("Tus-Version", "1.0.0")])
            with lock:
                name = str(len(uploads) + 1)
                pairs = [pair.split(" ") for pair in self.headers["Upload-Metadata"].split(",")]
                metadata = {pair[0]: base64.b64decode(pair[1]).decode() for pair in pairs}
                uploads[name] = {"data": b"", "length": int(self.headers["Upload-Length"]), "metadata": metadata, "began": False,
                                 "query": self.path.partition("?")[2]}
            at = self.path.partition("?at=")[2]
            place = f"http://127.0.0.1:{at}/files/{name}" if at else f"/files/{name}"
            return self.answer(201, b"", [("Location", place), ("Tus-Resumable", "1.0.0")])
        if self.command == "GET" and parts == ["tus", "list"]:
            with lock:
                view = [dict(metadata=u["metadata"], length=u["length"], offset=len(u["data"]), began=u["began"],
                             sha256=hashlib.sha256(u["data"]).hexdigest()) for u in uploads.values()]
            return self.answer(200, json.dumps(view).encode())
        upload = uploads.get(parts[1])
        if upload is None:
            self.body()
            return self.answer(404)
        if self.command == "DELETE":
            del uploads[parts[1]]
            return self.answer(204)
        if self.command == "PATCH":
            upload["began"] = True
            if self.headers["Content-Type"] != "application/offset+octet-stream":
                self.body()
                return self.answer(415)
            if int(self.headers["Upload-Offset"]) != len(upload["data"]):
                self.body()
                return self.answer(409)
            if upload["query"].startswith("break="):
                upload["data"] += self.rfile.read(min(int(upload["query"][6:]), int(self.headers["Content-Length"])))
                return self.drop()
            upload["data"] += self.body()
        headers = [("Upload-Offset", str(len(upload["data"]))), ("Upload-Length", str(upload["length"])),
                   ("Tus-Resumable", "1.0.0")]
        if len(upload["data"]) == upload["length"]:
            digest = hashlib.sha256(upload["data"])
            said = urllib.parse.unquote(upload["query"][5:]) if upload["query"].startswith("said=") else "Repr-Digest: sha-256=:SHA-256:"
            said = said.replace("SHA-256:", base64.b64encode(digest.digest()).decode() + ":").replace("sha256", digest.hexdigest())
            headers += [tuple(line.split(": ", 1)) for line in said.split("\n") if line]
        self.answer(200 if self.command == "HEAD" else 204, b"", headers)

    do_GET = do_POST = do_PUT = do_PATCH = do_HEAD = do_DELETE = do_OPTIONS = handle_any


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()
    os._exit(0)
