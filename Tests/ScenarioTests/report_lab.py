#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A lab's receiver that knows reports and manifests alone: python's own http.server.

Prints its port, then serves until it is killed. A body is answered by what the file `answer` in its folder says: a status, else 200 with the receipt.
Each body is kept as a line of `bodies` in that folder: path, device, public key of the signature, body.
"""
import json, pathlib, re, sys
from http.server import BaseHTTPRequestHandler, HTTPServer

FOLDER = pathlib.Path(sys.argv[1])


class Lab(BaseHTTPRequestHandler):
    def log_message(self, *arguments):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        line = {"path": self.path, "device": self.headers["Studyd-Device"], "key": (re.findall(r';keyid="([0-9a-f]{64})"', self.headers["Signature-Input"] or "") or [None])[0], "body": body}
        answer = FOLDER / "answer"
        status = int(answer.read_text()) if answer.exists() else 200
        reply = json.dumps({"received": body.get("number", body.get("day"))} if status == 200 else {"error": "no"}).encode()
        with open(FOLDER / "bodies", "a") as bodies:
            bodies.write(json.dumps(line | {"status": status}) + "\n")
        self.send_response(status)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def do_GET(self):
        self.send_error(404)


server = HTTPServer(("127.0.0.1", 0), Lab)
print(server.server_address[1], flush=True)
server.serve_forever()
