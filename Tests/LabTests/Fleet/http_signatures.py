#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""RFC 9421 as PyPI's http-message-signatures has it. Reads {"method", "url", "fields": [[name, value]…], "body", "seed", …} as JSON.

verify: checks the signature that the fields have, and prints the components which it covers.
countersigned: checks "text", a Studyd-Countersigned, and prints what it says.
sign: signs with the seed ("created", "nonce") and prints the fields, as curl's options one to a line.
"""
import base64, datetime, hashlib, json, sys
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from http_message_signatures import HTTPMessageSigner, HTTPMessageVerifier, HTTPSignatureKeyResolver, algorithms

told = json.load(sys.stdin)
if sys.argv[1] == "countersigned":
    words = told["text"].split(" ")
    statement = ("studyd-countersigned-1 " + " ".join(words[:5])).encode()
    Ed25519PublicKey.from_public_bytes(bytes.fromhex(words[4])).verify(base64.b64decode(words[5], validate=True), statement)
    print(" ".join(words[:4]))
    sys.exit()
key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(told["seed"]))
name = key.public_key().public_bytes_raw().hex()


class Message:
    method, url, headers = told["method"], told["url"], dict(told["fields"])


class Keys(HTTPSignatureKeyResolver):
    def resolve_public_key(self, key_id):
        assert key_id == name
        return key.public_key()

    def resolve_private_key(self, key_id):
        return key


body = told["body"].encode()
if body:
    Message.headers["Content-Length"] = str(len(body))
if sys.argv[1] == "verify":
    verifier = HTTPMessageVerifier(signature_algorithm=algorithms.ED25519, key_resolver=Keys())
    age = datetime.timedelta(days=36500)
    (result,) = verifier.verify(Message, max_age=age, expect_tag="studyd", expect_label="s", body=body or None)
    print(" ".join(sorted(component.strip('"') for component in result.covered_components if "@signature-params" not in component)))
else:
    if body:
        Message.headers["Content-Digest"] = f"sha-256=:{base64.b64encode(hashlib.sha256(body).digest()).decode()}:"
    covered = ["@method", "@authority", "@path", "@query"] + [field.lower() for field in Message.headers]
    HTTPMessageSigner(signature_algorithm=algorithms.ED25519, key_resolver=Keys()).sign(
        Message, key_id=name, created=datetime.datetime.fromtimestamp(told["created"], datetime.timezone.utc), nonce=told["nonce"], label="s",
        tag="studyd", covered_component_ids=covered, **({"use_existing_digest": True, "body": body} if body else {}))
    for field, value in Message.headers.items():
        if field != "Content-Length":
            print(f"-H\n{field}: {value}")
