"""Reads an archive of a run as others would: zipfile, and jsonschema with the schemas that Sage published. Arguments: archive, folder of schemas."""
import json
import pathlib
import sys
import zipfile

from jsonschema import Draft7Validator, FormatChecker
from referencing import Registry, Resource

folder = pathlib.Path(sys.argv[2])
documents = {}
for path in folder.glob("v*/*.json"):
    document = json.loads(path.read_text())
    documents[document["$id"]] = document
registry = Registry().with_resources((name, Resource.from_contents(document)) for name, document in documents.items())
RESULTS = "https://sage-bionetworks.github.io/mobile-client-json/schemas/v2/ResultData.json"


def check(document, schema, where):
    found = list(Draft7Validator(schema, registry=registry, format_checker=FormatChecker()).iter_errors(document))
    for error in found:
        print(f"{where}: {error.json_path}: {error.message}")
    return len(found)


def check_result(result, where):
    """The published schema of all results names each kind; a result of a kind is held to that kind."""
    kinds = {entry["properties"]["type"]["const"]: name for name, entry in documents[RESULTS]["definitions"].items()
             if "const" in entry.get("properties", {}).get("type", {})}
    wrong = check(result, {"$ref": RESULTS}, where)
    kind = result.get("type")
    if kind == "tapping":
        wrong += check(result, documents[TAPPING], where)
    elif kind in kinds:
        wrong += check(result, {"$ref": f"{RESULTS}#/definitions/{kinds[kind]}"}, where)
    elif kind != "assessment":
        print(f"{where}: no published result is a {kind}")
        wrong += 1
    if kind == "answer" and "answerType" in result:
        types = {"boolean": bool, "integer": int, "number": (int, float), "string": str, "array": list, "object": dict, "date-time": str,
                 "time": str, "duration": (int, float), "measurement": (int, float)}
        expected = types[result["answerType"]["type"]]
        if "value" in result and (not isinstance(result["value"], expected) or expected is not bool and isinstance(result["value"], bool)):
            print(f"{where}: {result['identifier']}: {result['value']!r} is no {result['answerType']['type']}")
            wrong += 1
    for key in ("stepHistory", "asyncResults", "children"):
        for index, inner in enumerate(result.get(key, [])):
            wrong += check_result(inner, f"{where}/{key}[{index}]")
    return wrong


def check_gonogo(document, where):
    """As json/schemas/v1/GoNoGoResultObject.json of BiAffectSDK f78dd2f6 says: these members and no others."""
    def has(found, required, optional):
        return required <= set(found) <= required | optional
    wrong = document.get("type") != "gonogo" or not has(
        document, {"type", "identifier", "startDate"}, {"endDate", "startUptime", "results", "motionError"})
    for response in document["results"]:
        wrong |= not has(response, {"timestamp", "resetTimestamp", "timeToThreshold", "go", "incorrect"}, {"stimulusDelay", "samples"})
        wrong |= not all(isinstance(response[key], bool) for key in ("go", "incorrect"))
    if wrong:
        print(f"{where}: no GoNoGoResultObject: {document}")
    return int(wrong)


GONOGO = "https://biaffect.github.io/biaffectsdk/json/schemas/v1/GoNoGoResultObject.json"
TAPPING = "https://sage-bionetworks.github.io/mobile-client-json/schemas/v2/TappingResultObject.json"
wrong = 0
with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    names = archive.namelist()
    metadata = json.loads(archive.read("metadata.json"))
    wrong += check(metadata, documents["https://sage-bionetworks.github.io/mobile-client-json/schemas/v2/ArchiveMetadata.json"], "metadata.json")
    listed = [entry["filename"] for entry in metadata["files"]]
    if sorted(listed) != sorted(name for name in names if name not in ("metadata.json", "info.json")):
        print(f"metadata.json lists {listed} of {names}")
        wrong += 1
    for entry in metadata["files"]:
        if entry.get("contentType") == "audio/flac":
            assert archive.read(entry["filename"])[:4] == b"fLaC", entry["filename"]
            print(entry["filename"], "sound")
            continue
        document = json.loads(archive.read(entry["filename"]))
        print(entry["filename"], "metadata.json")
        if entry.get("jsonSchema") == GONOGO:
            wrong += check_gonogo(document, entry["filename"])
            continue
        if "jsonSchema" in entry:
            wrong += check(document, documents[entry["jsonSchema"]], entry["filename"])
        if isinstance(document, list):
            print(entry["filename"], len(document), "records of", sorted({r.get("sensorType", "marker") for r in document}))
        elif entry["filename"] != "answers.json":
            wrong += check_result(document, entry["filename"])
    tree = json.loads(archive.read("assessmentResult.json"))

    def files(node):
        if node["type"] == "file":
            yield node["relativePath"]
        for spoken in node.get("questionData", {}).get("spoken", []):
            if "relativePath" in spoken:
                yield spoken["relativePath"]
        for key in ("stepHistory", "asyncResults", "children"):
            for inner in node.get(key, []):
                yield from files(inner)
    told = sorted(files(tree))
    there = sorted(e["filename"] for e in metadata["files"] if isinstance(e.get("stepPath"), str) and e.get("jsonSchema") != TAPPING)
    if told != there:
        print(f"asyncResults tell of {told}, the archive has {there}")
        wrong += 1
sys.exit(1 if wrong else 0)
