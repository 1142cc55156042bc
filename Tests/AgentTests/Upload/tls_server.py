#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""python's own http.server behind TLS, with a certificate that openssl makes in the folder that is given. Prints its port, serves until its standard input ends.

/here             200, "secret"
/who              200, the common name of the client's certificate or "-", and the Authorization
/secure/<status>  redirects to /here
/plain/<status>   redirects to /here of the same host without TLS
/other/<status>   redirects to /here of another host without TLS
"""
import ssl, subprocess, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

folder = sys.argv[1]
subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder + "/key.pem", "-out", folder + "/cert.pem"],
               check=True, stderr=subprocess.DEVNULL)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        parts = self.path.strip("/").split("/")
        port = self.server.server_address[1]
        where = {"secure": f"https://127.0.0.1:{port}/here", "plain": f"http://127.0.0.1:{port}/here",
                 "other": f"http://127.0.0.2:{port}/here"}.get(parts[0])
        body = b"" if where else b"secret"
        if parts[0] == "who":
            certificate = self.connection.getpeercert()
            name = certificate["subject"][0][0][1] if certificate else "-"
            body = f"{name} {self.headers.get('Authorization', '-')}".encode()
        self.send_response(int(parts[1]) if where else 200)
        if where:
            self.send_header("Location", where)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(folder + "/cert.pem", folder + "/key.pem")
context.load_verify_locations(folder + "/cert.pem")
context.verify_mode = ssl.CERT_OPTIONAL
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.socket = context.wrap_socket(server.socket, server_side=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
