# SPDX-License-Identifier: Apache-2.0
"""Signatures by botocore (PyPI), for requests on standard input, a JSON object a line: method, host, path, query, headers, payload, time,
region. Prints a signature a line."""
import json
import sys

from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from urllib.parse import quote


class Signer(S3SigV4Auth):
    """At a time that is given, with the payload's hash that is given."""

    def payload(self, request):
        return request.headers["X-Amz-Content-SHA256"]


def main():
    for line in sys.stdin:
        case = json.loads(line)
        query = "&".join(f"{quote(name, safe='-_.~')}={quote(value, safe='-_.~')}" for name, value in case["query"])
        url = f"https://{case['host']}{quote(case['path'], safe='/-_.~')}" + ("?" + query if query else "")
        headers = dict(case["headers"]) | {"X-Amz-Content-SHA256": case["payload"], "X-Amz-Date": case["time"]}
        request = AWSRequest(method=case["method"], url=url, headers=headers)
        request.context["timestamp"] = case["time"]
        signer = Signer(Credentials("AKID", "a+secret/key", case["session"] or None), "s3", case["region"])
        if case["session"]:
            request.headers["X-Amz-Security-Token"] = case["session"]
        canonical = signer.canonical_request(request)
        print(signer.signature(signer.string_to_sign(request, canonical), request), flush=True)


if __name__ == "__main__":
    main()
