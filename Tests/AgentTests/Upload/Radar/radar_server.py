# SPDX-License-Identifier: Apache-2.0
"""A RADAR-base platform for tests: ManagementPortal, Ory Hydra, schema registry and gateway in one, as strict as their sources are:
RADAR-Gateway c29d332 (KafkaTopics.kt, AvroProcessor.kt, AvroRecordProcessor.kt, JsonNodeExtensions.kt, BinaryToAvroConverter.kt),
ManagementPortal a1f5ee2 (MetaTokenResource.kt, SubjectResource.kt, ClaimsTokenEnhancer.java). Avro is read by fastavro.

    radar_server.py SCHEMAS    prints its port, then serves until its standard input ends

SCHEMAS is RADAR-Schemas' folder. POST /compare reads one record as bytes and as JSON. GET /state says as JSON what came; POST /control sets what the platform is like:

    topics {name: schema file below commons/ or schema}, drop [names], inactive, forget_sources, rotate (Hydra's), life (seconds of an
    access token), end (refresh tokens are over), revoke (access tokens given so far), binary, gzip (false: 415), limit (bytes),
    next [{status, headers, body, after}] (answers of the next posts to a topic; after: stored before), dynamic (sources), client (secret),
    silent (posts to a topic are never answered), status (of the participant), lost (the answer to the next of this method and path never comes),
    and those of the upload backend (radar_upload.py)
"""
import base64
import gzip
import io
import json
import pathlib
import sys
import threading
import time
import urllib.parse
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import fastavro

sys.dont_write_bytecode = True
from radar_upload import Upload  # noqa: E402

COMMONS = pathlib.Path(sys.argv[1]) / "commons"
LOCK = threading.RLock()
SOURCE_TYPE = {"id": 7, "producer": "studyd", "model": "device", "catalogVersion": "1.0.0", "canRegisterDynamically": True}


def schema(name):
    return json.loads((COMMONS / name).read_text()) if isinstance(name, str) else name


class Platform:
    inactive, forget_sources, rotate, life, end, dynamic, client, silent, status = False, False, False, 43200, False, True, "", False, "ACTIVATED"
    binary, gzip, limit, lost = True, True, 25165824, ""

    def __init__(self):
        self.next, self.revoked, self.used, self.sources = [], set(), set(), []
        self.metas, self.given, self.requests, self.records, self.posts = {"AbCd.12-": "sub-1", "Other.12": "sub-2"}, [], [], [], []
        self.subjects, self.ids = {}, {}
        self.topics = set()
        self.add({
            "questionnaire_response": "active/questionnaire/questionnaire.avsc",
            "android_phone_acceleration": "passive/phone/phone_acceleration.avsc",
            "android_phone_magnetic_field": "passive/phone/phone_magnetic_field.avsc",
            "android_phone_relative_location": "passive/phone/phone_relative_location.avsc",
        })

    def add(self, topics):
        for topic, value in topics.items():
            self.topics.add(topic)
            for kind, text in (("key", schema("kafka/observation_key.avsc")), ("value", schema(value))):
                versions = self.subjects.setdefault(f"{topic}-{kind}", [])
                if not versions or versions[-1][1] != text:
                    number = len(self.ids) + 1
                    self.ids[number] = text
                    versions.append((number, text))


P = Platform()


class Refused(Exception):
    def __init__(self, status, code, text, headers=()):
        self.status, self.code, self.text, self.headers = status, code, text, headers


U = Upload(Refused, "https://radar.example/upload/api")


def invalid(text):
    return Refused(422, "invalid_content", text)


def full(s, space=""):
    """Names of a named type, alone and with its namespace; other types have one."""
    if isinstance(s, str):
        return {s, s.split(".")[-1]}
    if isinstance(s, list):
        return {"union"}
    if "name" not in s:
        return {s["type"]}
    return {s["name"], s.get("namespace", space) + "." + s["name"]}


def kind(s):
    return "union" if isinstance(s, list) else s if isinstance(s, str) else s["type"] if isinstance(s["type"], str) else kind(s["type"])


NUMBERS = ("int", "long", "float", "double")


def value(node, s, space, default=None):
    """JsonNodeExtensions.kt, branch by branch. Raises Refused, or ValueError for what is a 500 there."""
    if isinstance(s, dict) and not isinstance(s.get("type"), str):
        s = s["type"]
    t = kind(s)
    if node is None:
        if t == "null":
            return None
        if t == "union":
            if any(kind(b) == "null" for b in s):
                return None
            raise invalid("Cannot map null value to non-null union")
        if default is None:
            raise invalid("No value given to field without default")
        return value(default, s, space)
    if t == "union":
        return union(node, s, space, default)
    if t == "record":
        return record(node, s)
    if t in NUMBERS:
        if isinstance(node, bool) or not isinstance(node, (int, float, str)):
            raise invalid("Cannot map non-number to number")
        return int(node) if t in ("int", "long") else float(node)
    if t == "boolean":
        if isinstance(node, bool):
            return node
        raise invalid("Cannot map non-boolean to boolean")
    if t == "string":
        if isinstance(node, (dict, list)):
            raise invalid("Cannot map non-simple types to string")
        return str(node)
    if t == "enum":
        if not isinstance(node, str):
            raise invalid("Can only convert strings to enum")
        for symbol in (node, default):
            if symbol in s["symbols"]:
                return symbol
        raise invalid("Enum symbol without default cannot be found")
    if t == "array":
        if not isinstance(node, list):
            raise invalid("Cannot map array")
        return [value(item, s["items"], space) for item in node]
    if t == "map":
        if not isinstance(node, dict):
            raise invalid("Can only convert objects to map")
        return {key: value(item, s["values"], space) for key, item in node.items()}
    raise ValueError(t)


def union(node, s, space, default):
    if isinstance(node, dict):
        name = next(iter(node), None)
        if name is None:
            raise invalid("Cannot union without a value")
        for branch in s:
            if name in full(branch, space):
                return value(node[name], branch, space)
        raise invalid("Cannot find any matching union types")
    wanted = ("boolean",) if isinstance(node, bool) else NUMBERS if isinstance(node, (int, float)) else \
        ("string", "fixed", "bytes", "enum") if isinstance(node, str) else ("array",)
    for branch in s:
        if kind(branch) in wanted:
            return value(node, branch, space, default)
    raise invalid("Cannot map to union")


def record(node, s):
    if not isinstance(node, dict):
        raise invalid("Cannot map non-object to object")
    made = {}
    for field in s["fields"]:
        if field["name"] in node:
            made[field["name"]] = value(node[field["name"]], field["type"], s.get("namespace", ""), field.get("default"))
        elif "default" in field:
            made[field["name"]] = field["default"]
        else:
            raise ValueError(f"Field {field['name']} not set and has no default value")
    return made


def token(claims):
    return "h." + base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=") + ".s"


def claims(text):
    try:
        body = text.split(".")[1]
        return json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    except Exception:
        return {}


def grant(subject, hydra):
    """Sources are named as they are now."""
    now = int(time.time())
    ids = [] if P.forget_sources else [s["sourceId"] for s in P.sources if s["login"] == subject]
    role = "INACTIVE_PARTICIPANT" if P.inactive else "PARTICIPANT"
    body = {"sub": subject, "sources": ids, "roles": [f"radar:ROLE_{role}"], "exp": now + P.life, "jti": str(uuid.uuid4()),
            "aud": U.audience, "scope": ["MEASUREMENT.CREATE", "SUBJECT.READ", "SUBJECT.UPDATE"]}
    access, refresh = token(body), token({"sub": subject, "exp": now + 7948800, "jti": str(uuid.uuid4()), "refresh": True})
    P.given.append(access)
    answer = {"access_token": access, "refresh_token": refresh, "token_type": "bearer", "expires_in": P.life}
    return answer if hydra else answer | {"sub": subject, "sources": ids, "roles": body["roles"], "grant_type": "refresh_token"}


def compare(schema, json, binary):
    """Whether fastavro reads in the bytes what the gateway's rules read in the JSON: "same", or both."""
    stream = io.BytesIO(bytes.fromhex(binary))
    by_bytes = fastavro.schemaless_reader(stream, fastavro.parse_schema(schema))
    by_json = record(json, schema)
    written = io.BytesIO()
    fastavro.schemaless_writer(written, fastavro.parse_schema(schema), by_json)
    by_json = fastavro.schemaless_reader(io.BytesIO(written.getvalue()), fastavro.parse_schema(schema))
    return "same" if by_bytes == by_json and not stream.read() else f"{by_bytes} {by_json}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body, headers=()):
        body = body.encode() if isinstance(body, str) else body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, text in [("Content-Length", str(len(body))), *headers]:
            self.send_header(name, text)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def bearer(self):
        text = self.headers.get("Authorization", "")
        if not text.startswith("Bearer "):
            raise Refused(401, "token_missing", "No bearer token is provided", [("WWW-Authenticate", "Bearer realm=\"Kafka REST Proxy\"")])
        found = claims(text[7:])
        if text[7:] not in P.given or text[7:] in P.revoked or found.get("exp", 0) < time.time():
            raise Refused(401, "token_invalid", "Token is expired", [("WWW-Authenticate", 'Bearer error="invalid_token"')])
        return found

    def handle_all(self):
        path = urllib.parse.urlsplit(self.path).path
        if self.command == "PUT" and U.cut is not None:
            count, U.cut = U.cut, None
            self.rfile.read(min(count, int(self.headers.get("Content-Length") or 0)))
            self.close_connection = True
            return self.connection.close()
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if path == "/state":
            state = {name: getattr(P, name) for name in ("records", "requests", "posts", "sources")}
            return self.answer(200, state | {"uploads": U.state()})
        if path == "/control":
            for name, what in json.loads(body).items():
                if name == "topics":
                    P.add(what)
                elif name == "drop":
                    P.topics -= set(what)
                    for topic in what:
                        P.subjects.pop(f"{topic}-key", None), P.subjects.pop(f"{topic}-value", None)
                elif name == "revoke":
                    P.revoked |= set(P.given)
                elif name == "metas":
                    P.metas |= what
                elif name == "clear":
                    P.sources, P.used = [], set()
                else:
                    setattr(U if hasattr(U, name) else P, name, what)
            return self.answer(200, {})
        if path == "/compare":
            return self.answer(200, {"compared": compare(**json.loads(body))})
        P.requests.append(f"{self.command} {path}" + (" token" if "Authorization" in self.headers else ""))
        try:
            status, told, headers = self.route(path, body)
        except Refused as refused:
            status, told, headers = refused.status, {"error": refused.code, "error_description": refused.text}, refused.headers
        except (ValueError, KeyError, TypeError) as error:
            status, told, headers = 500, {"error": "unknown", "error_description": str(error)}, ()
        if P.lost and P.lost in f"{self.command} {path}":
            P.lost = ""
            self.close_connection = True
            return self.connection.close()
        self.answer(status, told, headers)

    def route(self, path, body):
        parts = [urllib.parse.unquote(part) for part in path.split("/")[1:]]
        with LOCK:
            match [self.command, *parts]:
                case ["GET", "managementportal", "api", "meta-token", name]:
                    if name not in P.metas:
                        raise Refused(404, "error.tokenNotFound", "Meta token not found")
                    if name in P.used:
                        raise Refused(410, "error.tokenExpired", "Token already fetched or expired")
                    P.used.add(name)
                    refresh = token({"sub": P.metas[name], "exp": int(time.time()) + 7948800, "jti": name, "refresh": True})
                    return 200, {"refreshToken": refresh, "baseUrl": "https://radar.example/managementportal", "privacyPolicyUrl": ""}, ()
                case ["POST", "managementportal", "oauth", "token"]:
                    return self.tokens(body, hydra=False)
                case ["POST", "hydra", "oauth2", "token"]:
                    return self.tokens(body, hydra=True)
                case ["GET", "managementportal", "api", "subjects", login]:
                    self.portal(login)
                    return 200, self.subject(login), ()
                case ["POST", "managementportal", "api", "subjects", login, "sources"]:
                    self.portal(login)
                    return self.register(login, json.loads(body))
                case ["GET", "schema", "subjects", subject, "versions", "latest"]:
                    if "Authorization" in self.headers:
                        raise ValueError("a token went to the registry")
                    if subject not in P.subjects:
                        return 404, {"error_code": 40401, "message": f"Subject '{subject}' not found."}, ()
                    number, text = P.subjects[subject][-1]
                    return 200, {"subject": subject, "version": len(P.subjects[subject]), "id": number, "schema": json.dumps(text)}, ()
                case ["GET" | "HEAD", "kafka", "topics"]:
                    self.bearer()
                    return 200, sorted(P.topics), ()
                case ["GET" | "HEAD", "kafka" | ""]:
                    return 200, {}, ()
        if parts[:2] == ["upload", "api"]:
            return self.upload(parts[2:], body)
        if self.command == "POST" and parts[:2] == ["kafka", "topics"]:
            return self.topic(parts[2], body)
        raise Refused(404, "not_found", path)

    def upload(self, parts, body):
        what = f"{self.command} /{'/'.join(parts)}"
        if U.mute and U.mute in what:
            time.sleep(3600)
        with LOCK:
            planned = next((one for one in U.upload_next if one["on"] in what), None)
            if planned:
                U.upload_next.remove(planned)
            if planned and not planned.get("after"):
                return planned["status"], planned.get("body", {"error": "planned"}), planned.get("headers", {}).items()
            if len(body) > U.body:
                return 413, "<html>413 Request Entity Too Large</html>", ()
            is_json = self.headers.get("Content-Type") == "application/json" and self.command == "POST"
            query = urllib.parse.urlsplit(self.path).query
            status, told = U.route(self.command, parts, query, json.loads(body) if is_json else body, self.headers, self.bearer)
            if planned:
                return planned["status"], planned.get("body", {"error": "planned"}), planned.get("headers", {}).items()
            return status, told, ()

    def tokens(self, body, hydra):
        name, _, secret = base64.b64decode(self.headers.get("Authorization", "Basic ")[6:]).decode().partition(":")
        if name != "studyd" or secret != P.client:
            return 401, {"error": "invalid_client", "error_description": "Bad client credentials"}, ()
        form = urllib.parse.parse_qs(body.decode())
        refresh = form["refresh_token"][0]
        found = claims(refresh)
        if form["grant_type"] != ["refresh_token"] or P.end or found.get("exp", 0) < time.time() or not found.get("refresh") \
                or (P.rotate and refresh in P.revoked):
            return (400, {"error": "invalid_grant", "error_description": "gone"}, ()) if hydra else \
                (401, {"error": "invalid_token", "error_description": "Encoded token has expired"}, ())
        if P.status != "ACTIVATED":
            return 401, {"error": "unauthorized", "error_description": f"User {found['sub']} was not activated"}, ()
        P.revoked.add(refresh)
        return 200, grant(found["sub"], hydra), ()

    def portal(self, login):
        found = self.bearer()
        if found["sub"] != login or not any(role.endswith("ROLE_PARTICIPANT") and "INACTIVE" not in role for role in found["roles"]) or P.inactive:
            raise Refused(403, "error.accessDenied", "not permitted")

    def subject(self, login):
        own = [{key: s[key] for key in ("sourceId", "sourceTypeId", "assigned")} for s in P.sources if s["login"] == login]
        return {"login": login, "status": P.status, "project": {"projectName": "radar", "sourceTypes": [
            {"id": 3, "producer": "other", "model": "device", "catalogVersion": "1"}, SOURCE_TYPE]}, "sources": own, "attributes": []}

    def register(self, login, body):
        if body.get("sourceTypeId") != SOURCE_TYPE["id"]:
            raise Refused(400, "error.sourceTypeNotInProject", "not in project")
        if not P.dynamic:
            raise Refused(400, "error.sourceTypeNotFound", "not dynamically registrable")
        if any(s["login"] == login for s in P.sources):
            raise Refused(409, "error.sourceTypeExists", "exists")
        P.sources.append({"login": login, "sourceId": str(uuid.uuid4()), "sourceTypeId": 7, "assigned": True})
        return 201, P.sources[-1], ()

    def topic(self, topic, body):
        planned = None
        with LOCK:
            if P.next:
                planned = P.next.pop(0)
        if P.silent:
            time.sleep(3600)
        if planned and not planned.get("after"):
            return planned["status"], planned.get("body", {"error": "planned"}), planned.get("headers", {}).items()
        told = self.store(topic, body)
        if planned:
            return planned["status"], planned.get("body", {"error": "planned"}), planned.get("headers", {}).items()
        return told

    def store(self, topic, body):
        found = self.bearer()
        if "res_gateway" not in found["aud"] or "MEASUREMENT.CREATE" not in found["scope"]:
            raise Refused(403, "permission_mismatch", "no MEASUREMENT.CREATE")
        content, encoding = self.headers.get("Content-Type"), self.headers.get("Content-Encoding")
        is_binary = content in ("application/vnd.radarbase.avro.v1+binary", "application/vnd.radarbase.avro+binary")
        if is_binary and not P.binary or encoding == "gzip" and not P.gzip:
            raise Refused(415, "unsupported_media_type", "no")
        if encoding == "gzip":
            body = gzip.decompress(body)
        if len(body) > P.limit:
            raise Refused(413, "request_entity_too_large", "Maximum request size is exceeded")
        if not body:
            raise Refused(400, "missing_body", "Missing contents in body")
        pairs, ids = self.binary(topic, body, found) if is_binary else self.json(topic, body, found)
        if topic not in P.topics:
            raise Refused(404, "not_found", f"Topic {topic} not present in Kafka.")
        for key, _ in pairs:
            if key["userId"] != found["sub"] or key["sourceId"] not in found["sources"] or f"{key['projectId']}:ROLE_PARTICIPANT" not in found["roles"]:
                raise Refused(403, "permission_mismatch", "No permission", [("WWW-Authenticate", 'Bearer error="insufficient_scope"')])
        with LOCK:
            P.posts.append({"topic": topic, "type": content, "encoding": encoding, "count": len(pairs), "bytes": len(body)})
            P.records += [{"topic": topic, "key": key, "value": one} for key, one in pairs]
        return 200, {"key_schema_id": ids[0], "value_schema_id": ids[1]}, ()

    def binary(self, topic, body, found):
        stream = io.BytesIO(body)
        try:
            head = fastavro.schemaless_reader(stream, fastavro.parse_schema(schema("kafka/record_set.avsc")))
            versions = [P.subjects[f"{topic}-{k}"][head[f"{k}SchemaVersion"] - 1] for k in ("key", "value")]
            if stream.read() or 0 in (head["keySchemaVersion"], head["valueSchemaVersion"]):
                raise ValueError("bytes are left over")
        except Exception as error:
            raise Refused(400, "bad_content", f"Content is not a valid binary RecordSet: {error}")
        if not head["data"]:
            raise ValueError("empty")
        key = {"projectId": head["projectId"] or "radar", "userId": head["userId"] or found["sub"], "sourceId": head["sourceId"]}
        pairs = []
        for data in head["data"]:
            stream = io.BytesIO(data)
            try:
                one = fastavro.schemaless_reader(stream, fastavro.parse_schema(versions[1][1]))
                assert not stream.read()
            except Exception as error:
                raise invalid(f"record does not decode: {error}")
            pairs.append((key, one))
        return pairs, [number for number, _ in versions]

    def json(self, topic, body, found):
        try:
            root = json.loads(body)
        except ValueError:
            raise Refused(400, "malformed_json", "no JSON")
        if not isinstance(root, dict):
            raise invalid("Expecting JSON object in payload")
        schemas, ids = [], []
        for k in ("key", "value"):
            if root.get(f"{k}_schema_id") is None and root.get(f"{k}_schema") is None:
                raise invalid(f"Missing {k} schema")
        if root.get("records") is None:
            raise invalid("Missing records")
        for k in ("key", "value"):
            versions = P.subjects.get(f"{topic}-{k}", [])
            number = root.get(f"{k}_schema_id")
            own = [text for one, text in versions if one == number] if number is not None else \
                [json.loads(root[f"{k}_schema"])] if versions else []
            if not own:
                raise Refused(422, "schema_not_found", "Schema ID not found in subject")
            schemas.append(own[0])
            ids.append(versions[-1][0])
        if not isinstance(root["records"], list):
            raise invalid("Records should be an array")
        pairs = []
        for one in root["records"]:
            if not isinstance(one.get("key"), dict) or not isinstance(one.get("value"), dict):
                raise invalid("Missing key or value field in record")
            project = one["key"].get("projectId")
            if project is not None and not isinstance(project, dict):
                raise invalid("Project ID should be wrapped in string union type")
            key = record(one["key"], schemas[0])
            key["projectId"] = key["projectId"] or "radar"
            pairs.append((key, record(one["value"], schemas[1])))
        for (_, made), text in zip(pairs, [schemas[1]] * len(pairs)):
            fastavro.schemaless_writer(io.BytesIO(), fastavro.parse_schema(text), made)
        return pairs, ids

    do_GET = do_POST = do_HEAD = do_PUT = do_DELETE = handle_all


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(server.server_port, flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
