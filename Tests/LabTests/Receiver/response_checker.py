# SPDX-License-Identifier: Apache-2.0
"""What the Response server of FDA MyStudies takes, and what it refuses when it reads a stored run: a reading of its own Java, over mutated bodies.

Read: SurveyResult.setParsedValue, TextChoiceResult, and of ResponseManager storeSurveyResult to storeResultChoices (FDA-MyStudies/Response 99ba178d).
LabKey's lists below it refuse a text longer than its column: 4000 characters, or the design's maxLength, none with 0 or more than 4000.

Prints one JSON object a line: the results and whether they are taken. With the path of a git copy of that repository and a Java class path with
jackson-databind and commons-lang3 its own classes are compiled and asked too: `app`.
"""
import json, os, random, re, subprocess, sys, tempfile

CHOICES = {"textChoices": [{"text": "a", "value": "a"}, {"text": "o", "value": "o", "other": {"placeholder": ""}}]}
DESIGN = {"activity": {"type": "questionnaire", "metadata": {"studyId": "S1", "activityId": "Welcome", "version": "1.0"}, "steps": [
    {"type": "instruction", "resultType": "", "key": "hello"},
    {"type": "question", "resultType": "scale", "key": "sc"}, {"type": "question", "resultType": "continuousScale", "key": "cs"},
    {"type": "question", "resultType": "numeric", "key": "nu", "format": {"style": "Integer"}},
    {"type": "question", "resultType": "timeInterval", "key": "ti"}, {"type": "question", "resultType": "height", "key": "he"},
    {"type": "question", "resultType": "textScale", "key": "ts"}, {"type": "question", "resultType": "valuePicker", "key": "vp"},
    {"type": "question", "resultType": "imageChoice", "key": "ic"}, {"type": "question", "resultType": "boolean", "key": "bo"},
    {"type": "question", "resultType": "date", "key": "da", "format": {"style": "Date"}},
    {"type": "question", "resultType": "timeOfDay", "key": "td"}, {"type": "question", "resultType": "text", "key": "te"},
    {"type": "question", "resultType": "text", "key": "tshort", "format": {"maxLength": 10}},
    {"type": "question", "resultType": "text", "key": "tlong", "format": {"maxLength": 0}},
    {"type": "question", "resultType": "email", "key": "em"}, {"type": "question", "resultType": "location", "key": "lo"},
    {"type": "question", "resultType": "textChoice", "key": "tc", "format": CHOICES},
    {"type": "form", "resultType": "grouped", "key": "fo", "steps": [
        {"type": "question", "resultType": "numeric", "key": "fn", "format": {"style": "Decimal"}},
        {"type": "question", "resultType": "textChoice", "key": "fc", "format": CHOICES},
        {"type": "question", "resultType": "date", "key": "fd", "format": {"style": "Date-Time"}}]},
    {"type": "task", "resultType": "fetalKickCounter", "key": "kicks"}, {"type": "task", "resultType": "spatialSpanMemory", "key": "span"},
    {"type": "task", "resultType": "towerOfHanoi", "key": "towers"}]}}
NUMBER, TEXT, TRUTH, DATE = "DOUBLE", "VARCHAR", "BOOLEAN", "TIMESTAMP"
SINGLE = {"scale": NUMBER, "continuousscale": NUMBER, "numeric": NUMBER, "timeinterval": NUMBER, "height": NUMBER, "textscale": TEXT,
          "valuepicker": TEXT, "imagechoice": TEXT, "timeofday": TEXT, "text": TEXT, "email": TEXT, "location": TEXT, "boolean": TRUTH, "date": DATE}
GROUPS = {"grouped": [], "fetalkickcounter": [("duration", NUMBER), ("count", NUMBER)],
          "spatialspanmemory": [("score", NUMBER), ("numberOfGames", NUMBER), ("numberOfFailures", NUMBER)],
          "towerofhanoi": [("puzzleWasSolved", TRUTH), ("numberOfMoves", NUMBER)]}
KEYS = ["sc", "cs", "nu", "ti", "he", "ts", "vp", "ic", "bo", "da", "td", "te", "tshort", "tlong", "em", "lo", "tc", "fo", "fn", "fc", "fd",
        "kicks", "span", "towers", "duration", "count", "score", "puzzleWasSolved", "NUMBEROFMOVES", "nowhere", "hello", "", "TE", "Fo", None]
TYPES = list(SINGLE) + list(GROUPS) + ["textChoice", "Numeric", "DATE", "", "dance", "Unknown", None]


class Refusal(Exception):
    pass


class Undecided(Exception):
    """It depends on how LabKey makes a text of a list."""


def capitalised(key):
    return key[:1].upper() + key[1:]


def tables(steps, name, made):
    """Columns of the lists by name: kind and longest text."""
    own = made.setdefault(name, {})
    for step in steps:
        kind = step["resultType"].lower()
        if kind in SINGLE:
            length = step.get("format", {}).get("maxLength", 4000)
            own[step["key"]] = (SINGLE[kind], length if 0 < length <= 4000 else None)
        elif kind == "textchoice":
            made[name + capitalised(step["key"])] = {step["key"]: (TEXT, 4000), step["key"] + "_Other_Text": (TEXT, 4000)}
        elif kind in GROUPS:
            below = name + capitalised(step["key"])
            made.setdefault(below, {key: (column, 4000) for key, column in GROUPS[kind]})
            tables(step.get("steps", []), below, made)
    return made


class Checker:
    def __init__(self):
        made = tables(DESIGN["activity"]["steps"], "Welcome", {})
        self.lists = {name.lower(): {column.lower(): what for column, what in columns.items()} for name, columns in made.items()}

    def takes(self, results):
        try:
            if results is None:
                raise Refusal("No results provided")
            self.store("Welcome", self.read_list(results))
            return True
        except Refusal:
            return False
        except Undecided:
            return None

    # Jackson: a bean from JSON.
    def read_list(self, results):
        if not isinstance(results, list):
            raise Refusal("no list")
        read = [None if entry is None else self.read(entry) for entry in results]
        if None in read:
            raise Refusal("null among the results")
        return read

    @staticmethod
    def text(value):
        if isinstance(value, (dict, list)):
            raise Refusal("no text")
        if isinstance(value, bool):
            return "true" if value else "false"
        return value if value is None or isinstance(value, str) else json.dumps(value)

    def read(self, entry):
        if not isinstance(entry, dict):
            raise Refusal("no result")
        skipped = entry.get("skipped")
        if isinstance(skipped, str):
            if skipped in ("true", "True", "TRUE"):
                skipped = True
            elif skipped in ("false", "False", "FALSE"):
                skipped = False
            elif skipped == "" or skipped.strip() == "":
                skipped = None
            else:
                raise Refusal("skipped")
        elif isinstance(skipped, (list, dict)) or isinstance(skipped, float):
            raise Refusal("skipped")
        for name in ("startTime", "endTime"):
            self.moment(entry.get(name))
        kind, key = self.text(entry.get("resultType")), self.text(entry.get("key"))
        return {"kind": kind, "key": key, "value": entry.get("value"), "skipped": bool(skipped)}

    @staticmethod
    def moment(value):
        """java.util.Date as Jackson reads it, for the forms that are drawn here."""
        if value is None or isinstance(value, int) and not isinstance(value, bool):
            return
        if isinstance(value, str) and (not value.strip() or re.fullmatch(
                r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?", value)):
            return
        raise Refusal("time")

    def column(self, name, key, kind):
        columns = self.lists.get(name.lower())
        if columns is None:
            raise Refusal("Invalid list")
        column = columns.get(key.lower()) if key is not None else None
        if column is None:
            raise Refusal("Unable to find column")
        if column[0] != kind:
            raise Refusal("Type does not match")
        return column

    def store(self, name, results):
        if name.lower() not in self.lists:
            raise Refusal("Invalid list")
        for result in results:
            if not isinstance(result, dict):
                raise Refusal("ClassCastException")
        single = [r for r in results if (r["kind"] or "").lower() not in GROUPS and (r["kind"] or "").lower() != "textchoice"]
        checked = [(r, self.column(name, r["key"], SINGLE.get(r["kind"].lower(), TEXT))) for r in single if r["kind"]]
        for result, column in checked:
            self.fits(self.parsed(result), column)
        for result in results:
            if result in single:
                continue
            if result["key"] is None:
                below = name + "null"  # StringUtils.capitalize(null) is null
            else:
                below = name + capitalised(result["key"])
            if result["kind"].lower() == "textchoice":
                self.choices(below, result)
            elif not result["skipped"]:
                self.groups(below, result)

    @staticmethod
    def fits(value, column):
        if isinstance(value, str) and column[0] == TEXT and column[1] is not None and len(value) > column[1]:
            raise Refusal("too long")

    @staticmethod
    def parsed(result):
        value, kind = result["value"], SINGLE.get(result["kind"].lower())
        if result["skipped"] or value is None or kind is None:
            return None
        if kind == NUMBER:
            whole = isinstance(value, int) and not isinstance(value, bool)
            if isinstance(value, float) or whole and -2**31 <= value < 2**31:
                return value
        elif kind == TRUTH and isinstance(value, bool) or kind == TEXT and isinstance(value, str):
            return value
        elif kind == DATE and isinstance(value, str) and is_date(value):
            return None
        raise Refusal("Value type")

    def choices(self, name, result):
        if result["skipped"]:
            return
        if name.lower() not in self.lists:
            raise Refusal("Invalid list")
        column = self.column(name, result["key"], TEXT)
        value = result["value"]
        if value is None:
            return
        if not isinstance(value, list):
            raise Refusal("Value type")
        for entry in value:
            if isinstance(entry, dict):
                other, words = entry.get("other", ""), entry.get("text", "")
                if words is None:
                    raise Refusal("NullPointerException")
                if isinstance(other, (list, dict)):
                    raise Undecided
                self.fits(self.text(other), column)
                words = words if isinstance(words, str) else json.dumps(words)
                if words.strip() and (result["key"] + "_other_text").lower() in self.lists[name.lower()]:
                    self.fits(words, (TEXT, 4000))
            elif isinstance(entry, list):
                raise Undecided
            else:
                self.fits(entry, column)

    def groups(self, name, result):
        value = result["value"]
        if value is None:
            raise Refusal("NullPointerException")
        if not isinstance(value, list):
            raise Refusal("Value type")
        read = self.converted(value)
        rounds = []
        for entry in read:
            if isinstance(entry, dict):
                rounds.append(read)
                break
            rounds.append(entry)
        for one in rounds:
            self.store(name, one)

    def converted(self, value):
        made = []
        for entry in value:
            if isinstance(entry, list):
                made.append(self.converted(entry))
            elif isinstance(entry, dict):
                made.append(self.read(entry))
            else:
                raise Refusal("Value type")
        return made


def is_date(text):
    """Java's yyyy-MM-dd'T'HH:mm:ss.SSSZ, then yyyy-MM-dd, both with the SMART resolver: the 31st of a shorter month is its last day."""
    found = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)\.\d{3}([+-])(\d\d)(\d\d))?", text, re.ASCII)
    if not found:
        return False
    year, month, day = (int(found[n]) for n in (1, 2, 3))
    if not (year >= 1 and 1 <= month <= 12 and 1 <= day <= 31):
        return False
    if found[4] is None:
        return True
    hour, minute, second, hours, minutes = (int(found[n]) for n in (4, 5, 6, 8, 9))
    # 24:00:00.000 is the end of a day.
    if hour == 24:
        return minute == second == 0 and ".000" in text and in_offset(hours, minutes)
    return hour <= 23 and minute <= 59 and second <= 59 and in_offset(hours, minutes)


def in_offset(hours, minutes):
    return minutes <= 59 and (hours < 18 or hours == 18 and minutes == 0)


# ---------------------------------------------------------------- bodies

def good(rng, kind, key):
    value = {NUMBER: lambda: rng.choice([rng.randint(0, 100), 2.5, 0]), TEXT: lambda: rng.choice(["a", "12:30:00", "", "é" * 9]),
             TRUTH: lambda: rng.random() < 0.5, DATE: lambda: rng.choice(["2026-08-01", "2026-08-01T23:30:00.250+0200"])}
    made = {"resultType": kind, "key": key, "startTime": "2026-08-01T10:00:00.000+0000", "endTime": "2026-08-01T10:00:05.000+0000",
            "skipped": False}
    low = kind.lower()
    if low in SINGLE:
        made["value"] = value[SINGLE[low]]()
    elif low == "textchoice":
        made["value"] = rng.choice([["a"], ["a", {"other": "o", "text": "afloat"}], []])
    elif low == "grouped":
        members = [good(rng, k, n) for k, n in (("numeric", "fn"), ("textChoice", "fc"), ("date", "fd")) if rng.random() < 0.8]
        made["value"] = rng.choice([members, [members], [members, members]])
    else:
        made["value"] = [good(rng, "boolean" if column == TRUTH else "numeric", name) for name, column in GROUPS[low]]
    return made


def strange(rng):
    return rng.choice([None, True, False, 0, 1, -7, 2**31 - 1, 2**31, -2**31, -2**31 - 1, 2**40, 2**70, 1.5, 1e300, 3.0, "", " ", "x", "5",
                       "true", [], {}, ["a"], [5], [None], [[]], [{}], {"other": "o"}, {"other": "o", "text": None}, {"text": "only"}, [True],
                       [{"other": "o", "text": "y" * 4001}], ["y" * 4001], "y" * 4000, "y" * 4001, "y" * 11, "z" * 10, "y" * 9000,
                       "2026-08-01T23:30:00+0200", "2026-08-01T23:30:00.250Z", "2026-08-01T23:30:00.250+02:00", "2026-02-30", "2026-02-32",
                       "2026-02-30T10:00:00.000+0000", "2026-13-01", "2026-8-1", "2026-08-01T24:00:00.000+0000", "2026-08-01T24:00:01.000+0000",
                       "2026-08-01T25:00:00.000+0000", "2026-08-01T10:60:00.000+0000", "2026-08-01T10:00:60.000+0000", "0000-01-01",
                       "2026-08-01T10:00:00.000+1800", "2026-08-01T10:00:00.000+1801", "2026-08-01T10:00:00.000-1900",
                       "2026-08-01T10:00:00.000+0060", "2026-08-01T10:00:00.25+0000", "2026-08-01T10:00:00.2500+0000", "2026-08-01 10:00:00",
                       "2026-08-01T10:00:00.000", " 2026-08-01", "2026-08-01T10:00:00.000+00000", "２０２６-08-01"])


def mutated(rng, results):
    results = json.loads(json.dumps(results))
    places = []

    def walk(holder, name):
        value = holder[name]
        places.append((holder, name))
        for inner in (value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []):
            walk(value, inner[0])
    root = {"results": results}
    walk(root, "results")
    for _ in range(rng.choice([0, 1, 1, 1, 2])):
        holder, name = rng.choice(places[1:] if len(places) > 1 and rng.random() < 0.97 else places)
        act, found = rng.random(), holder.get(name) if isinstance(holder, dict) else holder[name] if name < len(holder) else None
        if isinstance(holder, list) and name >= len(holder):
            continue
        if name == "key":
            holder[name] = rng.choice(KEYS)
        elif name == "resultType":
            holder[name] = rng.choice(TYPES)
        elif name == "skipped":
            holder[name] = rng.choice([True, True, False, None, 0, 1, "true", "TRUE", "false", "", "yes", [], 0.5])
        elif name in ("startTime", "endTime"):
            holder[name] = rng.choice([None, "", 5, "yesterday", True, "2026-08-01", "2026-08-01T10:00:00+0000", [], {}])
        elif act < 0.15 and isinstance(holder, dict):
            holder.pop(name, None)
        elif act < 0.25 and isinstance(found, list):
            holder[name] = found + found
        elif act < 0.3:
            holder[name] = [found]
        else:
            holder[name] = strange(rng)
    return root["results"]


def bodies(count):
    rng = random.Random(20261122)
    steps = [s for s in DESIGN["activity"]["steps"] if s["type"] != "instruction"]
    for _ in range(count):
        chosen = rng.sample(steps, rng.randint(1, 3))
        results = [good(rng, step["resultType"], step["key"]) for step in chosen]
        if rng.random() < 0.1:
            results.append({"resultType": "", "key": "hello", "skipped": False})
        yield mutated(rng, results)


# ---------------------------------------------------------------- the server's own classes

OWN = ["data/Response", "data/SurveyResult", "data/ResponseMetadata", "data/TextChoiceResult", "surveydesign/SurveyStep",
       "surveydesign/SurveyStepFormat", "surveydesign/TextChoice", "surveydesign/OtherOption", "IDynamicListField"]
METHODS = ["storeSurveyResult", "getSingleValuedResults", "getMultiValuedResults", "validateListColumn", "storeListResults",
           "storeMultiValuedResults", "storeResultChoices"]
STUBS = {
    "org/jetbrains/annotations/NotNull.java": "package org.jetbrains.annotations; public @interface NotNull {}",
    "org/jetbrains/annotations/Nullable.java": "package org.jetbrains.annotations; public @interface Nullable {}",
    "org/labkey/api/data/Container.java": "package org.labkey.api.data; public class Container { public String getName() { return \"c\"; } }",
    "org/labkey/api/security/User.java": "package org.labkey.api.security; public class User {}",
    "org/labkey/api/data/JdbcType.java": "package org.labkey.api.data; public enum JdbcType { DOUBLE, VARCHAR, BOOLEAN, TIMESTAMP, DATE, INTEGER }",
    "org/labkey/api/collections/CaseInsensitiveHashMap.java": """package org.labkey.api.collections; import java.util.*;
        public class CaseInsensitiveHashMap<V> extends HashMap<String, V> { static String low(Object k) { return k == null ? null : k.toString().toLowerCase(); }
        @Override public V put(String k, V v) { return super.put(low(k), v); } @Override public V get(Object k) { return super.get(low(k)); }
        @Override public boolean containsKey(Object k) { return super.containsKey(low(k)); }
        @Override public V getOrDefault(Object k, V d) { V v = super.get(low(k)); return v == null ? d : v; } }""",
}
HARNESS = """
package org.labkey.response; import java.util.*; import org.labkey.api.data.*; import org.labkey.api.security.User; import org.labkey.response.data.*;
import org.labkey.response.surveydesign.SurveyStep; import org.apache.commons.lang3.StringUtils; import org.jetbrains.annotations.*;
import org.labkey.api.collections.CaseInsensitiveHashMap; import com.fasterxml.jackson.databind.*;
public class Check {
  static class ArrayListMap<K, V> extends LinkedHashMap<K, V> {}
  static class Pair<A, B> { A a; B b; Pair(A a, B b) { this.a = a; this.b = b; } A getKey() { return a; } B getValue() { return b; } }
  static class ColumnInfo { JdbcType type; int size; JdbcType getJdbcType() { return type; } }
  static class TableInfo { String name; CaseInsensitiveHashMap<ColumnInfo> columns = new CaseInsensitiveHashMap<>();
    String getName() { return name; } ColumnInfo getColumn(String k) { return columns.get(k); } Object getUpdateService() { return this; } }
  static CaseInsensitiveHashMap<TableInfo> lists = new CaseInsensitiveHashMap<>();
  TableInfo getResultTable(String name, Container c, User u) { TableInfo t = lists.get(name);
    if (t == null) throw new IllegalStateException("Invalid list '" + name + "'"); return t; }
  static String getOtherOptionKey(String k) { return k + "_Other_Text"; }
  void storeResponseMetadata(List<SurveyResult> r, Integer a, Container c, User u, Integer p) { for (SurveyResult x : r) x.setFieldName(x.getKey()); }
  /** What LabKey's own list does: a text has to fit into its column. */
  Map<String, Object> storeListData(TableInfo t, Map<String, Object> data, Container c, User u) throws Exception {
    for (Map.Entry<String, Object> e : data.entrySet()) { ColumnInfo k = t.getColumn(e.getKey());
      if (k != null && e.getValue() instanceof String && k.size > 0 && ((String) e.getValue()).length() > k.size) throw new Exception("too long"); }
    Map<String, Object> row = new HashMap<>(); row.put("Key", 1); return row; }
  public static void main(String[] a) throws Exception {
    Scanner in = new Scanner(System.in, "UTF-8"); ObjectMapper mapper = new ObjectMapper();
    while (in.hasNextLine()) { String[] w = in.nextLine().split("\\t", -1);
      if (w[0].equals("L")) { TableInfo t = new TableInfo(); t.name = w[1]; lists.put(w[1], t); }
      else if (w[0].equals("C")) { ColumnInfo k = new ColumnInfo(); k.type = JdbcType.valueOf(w[3]); k.size = Integer.parseInt(w[4]); lists.get(w[1]).columns.put(w[2], k); }
      else { String verdict = "1"; List<String> errors = new ArrayList<>();
        try { JsonNode node = mapper.readTree(w[1]); Response r = Response.getResponseObject(node.toString());
          new Check().storeSurveyResult(r, "Welcome", 1, 1, r.getResults(), errors, new Container(), new User());
          if (!errors.isEmpty()) verdict = "0 " + errors; } catch (Throwable e) { verdict = "0 " + e; }
        System.out.println(verdict.replace('\\n', ' ')); } } }
"""


def source(repository, path):
    return subprocess.run(["git", "-C", repository, "show", "HEAD:src/org/labkey/response/" + path + ".java"],
                          capture_output=True, check=True, text=True).stdout


def method(text, name):
    start = re.search(r"    private [^\n=;]*\b" + name + r"\(", text).start()
    depth = 0
    for place in range(text.index("{", start), len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return text[start:place + 1]


def app_verdicts(repository, class_path, all_results):
    with tempfile.TemporaryDirectory() as folder:
        files = dict(STUBS)
        for path in OWN:
            files["org/labkey/response/" + path + ".java"] = source(repository, path)
        manager = source(repository, "ResponseManager")
        files["org/labkey/response/Check.java"] = HARNESS + "\n".join(method(manager, name) for name in METHODS) + "\n}\n"
        for name, text in files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            open(path, "w", encoding="utf-8").write(text)
        subprocess.run(["javac", "-nowarn", "-encoding", "UTF-8", "-cp", class_path, "-d", folder] + [os.path.join(folder, n) for n in files],
                       check=True, stderr=subprocess.PIPE)
        lines = []
        for name, columns in tables(DESIGN["activity"]["steps"], "Welcome", {}).items():
            lines.append(f"L\t{name}")
            lines += [f"C\t{name}\t{column}\t{kind}\t{size or 0}" for column, (kind, size) in columns.items()]
        lines += ["B\t" + json.dumps({"results": results}) for results in all_results]
        ran = subprocess.run(["java", "-cp", folder + ":" + class_path, "org.labkey.response.Check"], input="\n".join(lines).encode(),
                             capture_output=True, check=True)
        return ran.stdout.decode().splitlines()


def main():
    count = int(sys.argv[1])
    checker, all_results = Checker(), list(bodies(count))
    verdicts = app_verdicts(sys.argv[2], sys.argv[3], all_results) if len(sys.argv) > 3 else [None] * count
    print(json.dumps(DESIGN))
    for results, verdict in zip(all_results, verdicts):
        line = {"results": results, "takes": checker.takes(results)}
        if verdict is not None:
            line["app"], line["why"] = verdict.startswith("1"), verdict[:300]
        print(json.dumps(line))


main()
