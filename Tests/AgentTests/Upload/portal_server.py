#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A network that has to be logged in to, as known portals answer: python's own http.server with the answers of their sources. Prints its
port, serves until its standard input ends. While it is closed every request of any path gets the answer of the portal named by the first
part of the path; POST /open opens it, after which a body is stored and answered 200 `1`, as schema's own sample script does.

nodogsplash (6beb760, src/http_microhttpd.c): send_redirect_temp, send_refresh, send_error 501
opennds     (b9fbb8d, src/http_microhttpd.c): "only allow get" -> 511; page_200, page_202
chilli      (e0c7d7a, src/redir.c): redir_http "302 Moved Temporarily", its body, its WISPr XML; files with Content-Encoding: gzip
rfc6585     section 6, the example's own bytes
"""
import gzip, json, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

state = {"open": False}
stored, lock = [], threading.Lock()
SPLASH = "http://192.168.1.1:2050/splash.html?redir=http%3a%2f%2fstudy.example%2f"
LINK = "<html><head></head><body><a href='%s'>Click here to continue to<br>%s</a></body></html>" % (SPLASH, SPLASH)
CHILLI = "<HTML><BODY><H2>Browser error!</H2>Browser does not support redirects!</BODY>\r\n"
WISPR = CHILLI + ('<!--\r\n<?xml version="1.0" encoding="UTF-8"?>\r\n<WISPAccessGatewayParam>\r\n<Redirect>\r\n'
                  "<AccessProcedure>1.0</AccessProcedure>\r\n</Redirect>\r\n</WISPAccessGatewayParam>\r\n-->\r\n</HTML>\r\n")
RFC6585 = """<html>
   <head>
      <title>Network Authentication Required</title>
      <meta http-equiv="refresh"
            content="0; url=https://login.example.net/">
   </head>
   <body>
      <p>You need to <a href="https://login.example.net/">
      authenticate with the local network</a> in order to gain
      access.</p>
   </body>
</html>
"""
PORTALS = {
    "nodogsplash": (307, {"Location": SPLASH, "Connection": "close"}, LINK.encode()),
    "nodogsplash-refresh": (200, {"Content-Type": "text/html", "Connection": "close"},
                            b'<html><meta http-equiv="refresh" content="1"><head/></html>'),
    "nodogsplash-501": (501, {"Content-Type": "text/html"},
                        b"<html><head><title>Error 501</title></head><body><h1>Error 501 - Not Implemented</h1></body></html>"),
    "opennds": (511, {"Content-Type": "text/html", "Connection": "close"}, b"<!DOCTYPE html>\n<html>\n<head>\n"),
    "opennds-200": (200, {"Content-Type": "text/html"}, b"<br>OK<br>"),
    "opennds-202": (202, {"Content-Type": "text/html"}, b"<html><body><h1>Processing Request</h1></body></html>"),
    "opennds-400": (400, {"Content-Type": "text/html"},
                    b"<html><head><title>Error 400</title></head><body><h1>Error 400 - Bad Request</h1></body></html>"),
    "chilli": (302, {"Location": "http://10.1.0.1:3990/prelogin?res=notyet", "Content-Type": "text/html; charset=UTF-8"},
               WISPR.encode()),
    "chilli-gzip": (200, {"Content-Encoding": "gzip", "Content-type": "text/html", "Connection": "close"},
                    gzip.compress(b"<html>log in</html>")),
    "rfc6585": (511, {"Content-Type": "text/html"}, RFC6585.encode()),
    "marked": (200, {"Content-Type": "application/json"}, b"\xef\xbb\xbf\r\n \t<!DOCTYPE html><title>Log in</title>"),
    "utf16": (200, {}, "\ufeff<html>".encode("utf-16-le")),
    "generate_204": (204, {}, b""),
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, fields, body):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        name = self.path.strip("/").split("/")[0]
        if name == "open":
            state["open"] = True
            return self.answer(200, {}, b"")
        if name == "stored":
            with lock:
                return self.answer(200, {"Content-Type": "application/json"}, json.dumps(stored).encode())
        if not state["open"]:
            return self.answer(*PORTALS[name])
        with lock:
            stored.append(body.decode("latin-1"))
        self.answer(200, {"Content-Type": "text/html; charset=UTF-8"}, b"1")

    do_GET = do_POST = do_PATCH = do_HEAD = do_PUT = any


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
