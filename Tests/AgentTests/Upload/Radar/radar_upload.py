# SPDX-License-Identifier: Apache-2.0
"""The upload backend of `radar_server.py`'s platform, by the rules of radar-upload-source-connector a3b0a48 (0.6.3): RecordResource.kt,
SourceTypeResource.kt, RecordMapperImpl.kt, RecordRepositoryImpl.kt. What is odd here is so there: `time` is asked for and not kept, a file
that comes again keeps the size of the first, `sourceId` is needed whatever the source type says, a file without a type is a 500. Those
classes themselves, compiled with a store in memory, gave the same statuses, codes and fields to each row of
`theStandInAnswersAsTheBackendsTestsSay` and to what the suite sends.

Its keys of POST /control:

    backend (false: nothing is there), source_types {name: {timeRequired, sourceIdRequired}}, audience (of tokens), body (bytes that an ingress
    takes), upload_next [{on, status, headers, body, after}] (answers of the next requests whose method and path contain `on`; after: it was
    carried out), cut (bytes of the next file after which the connection breaks), mute (requests whose method and path contain it never end),
    turn {record: status} (what a converter or a person made of a record)
"""
import urllib.parse

STATES = {
    "INCOMPLETE": {"READY", "FAILED"}, "READY": {"QUEUED", "FAILED"}, "QUEUED": {"PROCESSING", "READY", "FAILED"},
    "PROCESSING": {"READY", "SUCCEEDED", "FAILED"}, "FAILED": {"READY"}, "SUCCEEDED": {"READY"},
}


class Upload:
    backend, cut, mute = True, None, ""
    # nginx.ingress.kubernetes.io/proxy-body-size of radar-helm-charts beffc88.
    body = 200 << 20

    def __init__(self, refused, realm):
        self.refused, self.realm = refused, realm
        self.audience = ["res_gateway", "res_ManagementPortal", "res_upload"]
        self.source_types = {"studyd": {}}
        self.uploads, self.upload_next = {}, []

    @property
    def turn(self):
        return {}

    @turn.setter
    def turn(self, changes):
        for number, status in changes.items():
            metadata = self.uploads[int(number)]["metadata"]
            metadata["revision"] += 1
            metadata["status"] = status
            metadata["message"] = "No records in data" if status == "FAILED" else "Record is ready for processing"

    def state(self):
        """As tests see it: files as text."""
        return [r | {"files": {name: f["bytes"].decode("latin-1") for name, f in r["files"].items()}} for r in self.uploads.values()]

    def route(self, method, parts, query, body, headers, token):
        """Status, body and whether the body is a file's. `token` gives the claims of the request's token, or raises."""
        if not self.backend:
            raise self.refused(404, "not_found", "/upload")
        match [method, *parts]:
            case ["GET", "health"]:
                return 200, {"status": "UP"}
            case ["GET", "source-types"]:
                return 200, {"sourceTypes": [self.source_type(name) for name in self.source_types]}
            case ["GET", "source-types", name]:
                if name not in self.source_types:
                    return 404, b""
                return 200, self.source_type(name)
        found = token()
        if "res_upload" not in found["aud"]:
            raise self.refused(401, "token_unverified", "Token is not for this resource")
        match [method, *parts]:
            case ["GET", "records"]:
                return 200, self.query(dict(urllib.parse.parse_qsl(query)), found)
            case ["POST", "records"]:
                return self.create(body, found)
            case ["GET", "records", number]:
                return 200, self.dto(self.record(number, found))
            case ["PUT", "records", number, "contents", name]:
                return 201, self.put(self.record(number, found), name, body, headers)
            case ["GET", "records", number, "contents", name]:
                files = self.record(number, found)["files"]
                if name not in files:
                    raise self.refused(404, "file_not_found", f"Cannot read content of file {name} from record {number}")
                return 200, files[name]["bytes"]
            case ["DELETE", "records", number, "contents", name]:
                record = self.record(number, found)
                if record["metadata"]["status"] != "INCOMPLETE":
                    raise self.refused(409, "incompatible_status", "already saved")
                if record["files"].pop(name, None) is None:
                    raise self.refused(404, "file_not_found", f"Cannot file {name} in record {number}")
                return 204, b""
            case ["GET", "records", number, "metadata"]:
                return 200, self.metadata(self.record(number, found))
            case ["POST", "records", number, "metadata"]:
                return 200, self.update(self.record(number, found), body)
        raise self.refused(404, "not_found", "/".join(parts))

    def source_type(self, name):
        return {"name": name, "topics": [], "contentTypes": [], "timeRequired": False, "sourceIdRequired": False, "configuration": {}} | self.source_types[name]

    def check(self, found, project, user):
        if user is not None and user != found["sub"] or f"{project}:ROLE_PARTICIPANT" not in found["roles"]:
            raise self.refused(403, "permission_mismatch", "No permission", [("WWW-Authenticate", 'Bearer error="insufficient_scope"')])

    def record(self, number, found):
        if not number.isdigit() or int(number) not in self.uploads:
            raise self.refused(404, "record_not_found", f"Record with ID {number} does not exist")
        record = self.uploads[int(number)]
        self.check(found, record["projectId"], record["userId"])
        return record

    def dto(self, record):
        data = {key: record[key] for key in ("projectId", "userId", "sourceId")}
        if record["files"] or record["hadFiles"]:
            data["contents"] = [self.content(record, name) for name in record["files"]]
        return {"id": record["id"], "data": data, "sourceType": record["sourceType"], "metadata": record["metadata"]}

    def content(self, record, name):
        quoted = urllib.parse.quote(name, safe="*").replace("~", "%7E")
        file = record["files"][name]
        return {"url": f"{self.realm}/records/{record['id']}/contents/{quoted}", "contentType": file["type"], "size": file["size"], "fileName": name}

    def query(self, wanted, found):
        project = wanted.get("projectId")
        if project is None:
            raise self.refused(400, "missing_project", "Required project ID not provided.")
        self.check(found, project, wanted.get("userId"))
        size = min(max(int(wanted.get("size", 100)), 1), 100)
        page = max(int(wanted.get("page", 1)), 1)
        fitting = [
            r for _, r in sorted(self.uploads.items(), reverse=True)
            if r["projectId"] == project and r["userId"] == wanted.get("userId", r["userId"])
            and r["sourceType"] == wanted.get("sourceType", r["sourceType"])
            and r["metadata"]["status"] == wanted.get("status", r["metadata"]["status"])
        ]
        return {"records": [self.dto(r) for r in fitting[(page - 1) * size:page * size]], "page": page, "size": size,
                "totalElements": len(fitting)}

    def create(self, body, found):
        def wrong(code, text):
            raise self.refused(400, code, text)

        if body.get("id") is not None:
            wrong("field_forbidden", "Record ID cannot be set explicitly")
        name, data = body.get("sourceType"), body.get("data")
        if name is None or data is None:
            wrong("field_missing", "Record needs a source type and data")
        if not data.get("projectId"):
            wrong("project_missing", "Record needs a project ID")
        if not data.get("userId") and not data.get("externalUserId"):
            wrong("user_missing", "Record needs a user ID or externalUserId")
        if data["projectId"] != "radar":
            raise self.refused(404, "project_not_found", f"Project {data['projectId']} not found in Management Portal.")
        self.check(found, data["projectId"], data["userId"])
        for content in data.get("contents") or []:
            if content.get("text") is None:
                wrong("field_missing", "Contents need explicit text value set in UTF-8 encoding.")
            if content.get("url") is not None:
                wrong("field_forbidden", "Cannot process URL")
        if body.get("metadata") is not None:
            wrong("field_forbidden", "Record metadata cannot be set explicitly")
        if name not in self.source_types:
            wrong("source_type_not_found", f"Source type {name} does not exist.")
        if self.source_types[name].get("timeRequired") and (data.get("time") is None or data.get("timeZoneOffset") is None):
            wrong("field_missing", "Time and time zone offset values are required for this source type.")
        if data.get("sourceId") is None:
            return 400, b""
        record = {
            "id": len(self.uploads) + 1, "projectId": data["projectId"], "userId": data["userId"], "sourceId": data["sourceId"],
            "sourceType": name, "asked": {key: data.get(key) for key in ("time", "timeZoneOffset")}, "files": {}, "hadFiles": False,
            "metadata": {"revision": 1, "status": "INCOMPLETE", "message": "Record has been created. Data must be uploaded"},
        }
        for content in data.get("contents") or []:
            record["files"][content["fileName"]] = {
                "type": content["contentType"], "bytes": content["text"].encode(), "size": len(content["text"])}
        self.uploads[record["id"]] = record
        return 201, self.dto(record)

    def put(self, record, name, body, headers):
        if record["metadata"]["status"] != "INCOMPLETE":
            raise self.refused(409, "incompatible_status", "Cannot add files to saved record.")
        if not int(headers.get("Content-Length") or 0):
            raise self.refused(400, "content-length-not-specified", "Content-Length header not specified")
        if not headers.get("Content-Type"):
            raise ValueError("contentType is null")
        record["hadFiles"] = True
        size = record["files"].get(name, {}).get("size", len(body))
        record["files"][name] = {"type": headers["Content-Type"], "bytes": body, "size": size}
        return self.content(record, name)

    def update(self, record, body):
        metadata, wanted = record["metadata"], body.get("status")
        if metadata["revision"] != body.get("revision"):
            raise self.refused(409, "incompatible_revision", f"revision {body.get('revision')} should match {metadata['revision']}")
        if wanted not in STATES:
            raise self.refused(400, "unknown_status", f"Record status {wanted} is not a known status.")
        if wanted != metadata["status"] and wanted not in STATES[metadata["status"]]:
            raise self.refused(409, "incompatible_status", f"Cannot transition from state {metadata['status']} to {wanted}")
        metadata["status"], metadata["message"] = wanted, body.get("message", "Record is ready for processing")
        metadata["revision"] += 1
        return self.metadata(record)

    def metadata(self, record):
        return {"id": record["id"]} | record["metadata"]
