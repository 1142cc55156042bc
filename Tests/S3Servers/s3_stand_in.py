# SPDX-License-Identifier: Apache-2.0
"""An S3 server that fails as servers do, and counts. It keeps no bodies: of each it has the length and the digests, so that an object
of any size costs it nothing.

    s3_stand_in.py [MODE]    prints the port, then waits for its input's end

MODE: `plain` takes everything; `501` answers conditional requests as OpenStack Swift 2.30 does (501 NotImplemented); `503` answers every
second request with Retry-After: 7; `cut:N` closes the connection after N bytes of the body of the first PUT; `wrong` gives back another
checksum than that of the body; `unmarked` passes over the marker of a list of parts and says that there are more; `paged` lists one part
at a time; `unreadable` lets nothing be read, `unreadable-summed` neither, and names the checksum of what is completed; `write-only` is `501`
with nothing that can be read, and names no checksum. GET /counts says as JSON what came."""
import base64
import hashlib
import http.server
import json
import sys
import threading
import urllib.parse

MODE = sys.argv[1] if len(sys.argv) > 1 else "plain"
LOCK = threading.Lock()
OBJECTS, UPLOADS = {}, {}
COUNTS = {"requests": 0, "bytes": 0, "cut": 0, "refused": 0, "conditional": 0}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", **fields):
        self.send_response(status)
        for name, value in ({"Content_Length": str(len(body))} | fields).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def error(self, status, code, **fields):
        with LOCK:
            COUNTS["refused"] += 1
        self.answer(status, f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>no</Message></Error>".encode(), **fields)

    def taken(self):
        """Length and digests of the body; None where it was cut."""
        left = int(self.headers.get("Content-Length", 0))
        sha256, md5, size = hashlib.sha256(), hashlib.md5(), 0
        limit = None
        if MODE.startswith("cut:") and self.command == "PUT" and COUNTS["cut"] == 0:
            limit = int(MODE[4:])
        while left > 0:
            piece = self.rfile.read(min(left, 1 << 16) if limit is None else min(left, max(1, limit - size), 1 << 16))
            if not piece:
                return None
            if limit is not None and size + len(piece) > limit:
                COUNTS["cut"] += 1
                self.close_connection = True
                self.connection.close()
                return None
            sha256.update(piece)
            md5.update(piece)
            size += len(piece)
            left -= len(piece)
            with LOCK:
                COUNTS["bytes"] += len(piece)
        return size, sha256.digest(), md5.hexdigest()

    def handle_one(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True))
        key = urllib.parse.unquote(url.path)
        if key == "/counts":
            return self.answer(200, json.dumps(COUNTS | {"objects": {k: v["size"] for k, v in OBJECTS.items()}}).encode())
        with LOCK:
            COUNTS["requests"] += 1
            number = COUNTS["requests"]
        body = self.taken() if self.command in ("PUT", "POST") else (0, b"", "")
        if body is None:
            return None
        size, sha256, md5 = body
        checksum = base64.b64encode(b"x" * 32 if MODE == "wrong" else sha256).decode()
        named = {} if MODE == "write-only" else {"x_amz_checksum_sha256": checksum}
        if MODE == "503" and number % 2 == 1:
            return self.error(503, "SlowDown", Retry_After="7")
        if self.headers.get("If-None-Match"):
            with LOCK:
                COUNTS["conditional"] += 1
            if MODE in ("501", "write-only"):
                return self.error(501, "NotImplemented")
            if key in OBJECTS:
                return self.error(412, "PreconditionFailed")
        if self.command == "HEAD":
            found = OBJECTS.get(key)
            if MODE == "write-only" or MODE.startswith("unreadable"):
                return self.answer(403)
            if found is None:
                return self.answer(404)
            return self.answer(200, Content_Length=str(found["size"]), ETag=f'"{found["md5"]}"', **found["meta"])
        meta = {name.replace("-", "_"): value for name, value in self.headers.items() if name.lower().startswith("x-amz-meta-")}
        if self.command == "POST" and "uploads" in query:
            upload = f"u{len(UPLOADS)}"
            UPLOADS[upload] = {"key": key, "parts": {}, "meta": meta}
            return self.answer(200, f"<InitiateMultipartUploadResult><UploadId>{upload}</UploadId></InitiateMultipartUploadResult>".encode())
        upload = UPLOADS.get(query.get("uploadId"))
        if "uploadId" in query and upload is None:
            return self.error(404, "NoSuchUpload")
        if self.command == "PUT" and upload is not None:
            upload["parts"][int(query["partNumber"])] = (size, md5, checksum)
            return self.answer(200, ETag=f'"{md5}"', **named)
        if self.command == "PUT":
            OBJECTS[key] = {"size": size, "md5": md5, "meta": meta}
            return self.answer(200, ETag=f'"{md5}"', **named)
        if self.command == "GET" and upload is not None:
            after = int(query.get("part-number-marker", 0)) if MODE != "unmarked" else 0
            most = 1 if MODE == "paged" else int(query.get("max-parts", 1000))
            some = sorted(n for n in upload["parts"] if n > after)[:most]
            rest = MODE == "unmarked" or max(upload["parts"], default=0) > (some[-1] if some else after)
            text = "".join(
                f"<Part><PartNumber>{n}</PartNumber><ETag>&quot;{upload['parts'][n][1]}&quot;</ETag><Size>{upload['parts'][n][0]}</Size>"
                f"<ChecksumSHA256>{upload['parts'][n][2]}</ChecksumSHA256></Part>" for n in some)
            return self.answer(
                200, f"<ListPartsResult><IsTruncated>{str(rest).lower()}</IsTruncated>{text}</ListPartsResult>".encode())
        if self.command == "POST" and upload is not None:
            OBJECTS[key] = {"size": sum(p[0] for p in upload["parts"].values()), "md5": "m-1", "meta": upload["meta"]}
            del UPLOADS[query["uploadId"]]
            digests = b"".join(base64.b64decode(upload["parts"][n][2]) for n in sorted(upload["parts"]))
            total = base64.b64encode(hashlib.sha256(digests).digest()).decode() + f"-{len(upload['parts'])}"
            summed = f"<ChecksumSHA256>{total}</ChecksumSHA256>" if MODE == "unreadable-summed" else ""
            text = f"<CompleteMultipartUploadResult><ETag>&quot;m-1&quot;</ETag>{summed}</CompleteMultipartUploadResult>"
            return self.answer(200, text.encode())
        return self.error(400, "InvalidRequest")

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = handle_one


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
