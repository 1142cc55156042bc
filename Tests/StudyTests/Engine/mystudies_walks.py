# SPDX-License-Identifier: Apache-2.0
"""A second reading of the branching of FDA MyStudies, by the code of its two apps, over random activities.

iOS: HPHC/Models/Activity/ActivityBuilder/ActivityBuilder.swift of FDA-MyStudies/iOS 9091edbe, whose rules go to ResearchKit's
ORKPredicateStepNavigationRule (the first predicate that fits, else the default step).
Android: studyAppModule/activityBuilder/ActivityBuilder.java (getStepAfterStep) of FDA-MyStudies/Android 371f2a2d.

Prints one JSON object a line: the activity, the answers, and the keys that each app shows. Answers are in the units of this device (minutes for
timeInterval). With the path of a copy of the Android repository as argument its own class is compiled (javac) and walks too: `app`.
"""
import json, os, random, subprocess, sys, tempfile

END = "end"
CHOICES = ("textChoice", "textScale", "valuePicker", "imageChoice")
NUMBERS = ("scale", "continuousScale", "numeric", "timeInterval", "height")


# ---------------------------------------------------------------- activities

def options(rng, kind):
    count = rng.randint(2, 4)
    choices = [{"text": f"Text {n}", "value": f"v{n}"} for n in range(count)]
    if kind in ("textChoice", "imageChoice") and rng.random() < 0.4:
        for choice in choices:
            choice["text"] = choice["value"]  # the server's editor often has the same in both
    if kind == "textChoice" and rng.random() < 0.4:
        choices[-1]["other"] = {"placeholder": "", "isMandatory": False, "textfieldReq": False}
    return choices


def step(rng, index):
    kind = rng.choice(CHOICES + NUMBERS + ("boolean", "boolean", "textChoice", "text", "date", "instruction", "form"))
    key = f"k{index}"
    made = {"type": "question", "resultType": kind, "key": key, "title": key, "text": "", "skippable": True, "groupName": "",
            "repeatable": False, "repeatableText": "", "destinations": [], "healthDataKey": "", "format": {}, "steps": [], "options": []}
    if kind == "instruction":
        made.update(type="instruction", resultType="")
    elif kind == "form":
        made.update(type="form", resultType="grouped", skippable=False)
        made["steps"] = [dict(made, type="question", resultType="boolean", key=f"{key}m", steps=[], skippable=True)]
    elif kind in CHOICES:
        name = "imageChoices" if kind == "imageChoice" else "textChoices"
        made["format"] = {name: options(rng, kind)}
        if kind == "textChoice":
            made["format"]["selectionStyle"] = rng.choice(["Single", "Multiple"])
    elif kind == "scale":
        made["format"] = {"minValue": rng.choice([0, 1, -5]), "maxValue": 10, "step": 1, "default": 1}
    elif kind == "continuousScale":
        made["format"] = {"minValue": 0, "maxValue": 10, "maxFractionDigits": rng.choice([0, 1, 2]), "default": 0}
    elif kind == "numeric":
        made["format"] = {"style": rng.choice(["Integer", "Decimal"]), "minValue": rng.choice([0, 3]), "maxValue": 100, "unit": ""}
    elif kind == "timeInterval":
        made["format"] = {"default": 0, "step": 1}
    return made


def destinations(rng, made, later):
    kind, to = made["resultType"], lambda: rng.choice(later + [""])
    default = {"condition": "", "operator": "", "destination": to()}
    way = lambda condition, operator="": {"condition": condition, "operator": operator, "destination": to()}
    special = []
    if kind in CHOICES:
        values = [c["value"] for c in made["format"].get("textChoices") or made["format"]["imageChoices"]]
        other = values.pop() if rng.random() < 0.5 else None
        special = [way(value) for value in values if rng.random() < 0.8]
        # As ActivityMetaDataDao writes it: the choices, the default, and after it the "other" choice.
        return special + [default] + ([way(other)] if other else [])
    if kind == "boolean":
        special = [way(word) for word in ("true", "false") if rng.random() < 0.7]
    elif kind in NUMBERS:
        value = {"timeInterval": str(60 * rng.randint(1, 90)), "height": str(rng.randint(150, 180)),
                 "numeric": rng.choice(["5", "7.5", "20"])}.get(kind) or str(rng.randint(1, 8))
        first, second = rng.choice([("e", "ne"), ("gt", "lte"), ("lt", "gte"), ("ne", "e"), ("gte", "lt")])
        special = [way(value, first), way(value, second)]
        if rng.random() < 0.3:
            special.pop()
        if kind == "scale" and rng.random() < 0.3:
            special = [way("3,6", "range")]
    elif kind == "text" and rng.random() < 0.3:
        special = [way("x")]
    drawn = rng.random()
    if drawn < 0.2:
        return special
    return [default] + special if drawn < 0.4 else special + [default]


def answer(rng, made):
    kind, form = made["resultType"], made["format"]
    if rng.random() < 0.15:
        return None
    if kind == "boolean":
        return rng.random() < 0.5
    if kind in CHOICES:
        values = [c["value"] for c in form.get("textChoices") or form["imageChoices"]]
        if form.get("selectionStyle") == "Multiple":
            return rng.sample(values, rng.randint(1, len(values)))
        return [rng.choice(values)]
    if kind == "scale":
        return float(rng.randint(form["minValue"], 10))
    if kind == "continuousScale":
        return round(rng.uniform(0, 10), form["maxFractionDigits"])
    if kind == "numeric":
        low = form["minValue"]
        return rng.choice([float(rng.randint(low, 25)), 5.0, 20.0] if form["style"] == "Integer" else
                          [round(rng.uniform(low, 25), 2), 7.5, 7.55, 8.5])
    if kind == "timeInterval":
        return float(rng.randint(0, 100))
    if kind == "height":
        return rng.choice([float(rng.randint(145, 185)), 160.5])
    return None


def activity(rng, number):
    steps = [step(rng, index) for index in range(rng.randint(3, 7))]
    for index, made in enumerate(steps):
        later = [s["key"] for s in steps[index + 1:]]
        if rng.random() < 0.75:
            made["destinations"] = destinations(rng, made, later) if made["type"] == "question" else [
                {"condition": "", "operator": "", "destination": rng.choice(later + [""])}]
    metadata = {"studyId": "S", "activityId": f"A{number}", "name": "", "version": "1.0"}
    return {"message": "SUCCESS", "activity": {"type": "questionnaire", "metadata": metadata, "steps": steps}}


# ---------------------------------------------------------------- iOS

def ios_predicate(made, rule, given, quirks):
    """True, False, or None where the app makes no predicate of the rule."""
    kind, form, condition, sign = made["resultType"], made["format"], rule["condition"], rule["operator"]
    if kind in CHOICES:
        return given is not None and condition in given
    if kind == "boolean":
        wanted = condition.lower() == "true"
        return given is not None and given == wanted
    if kind not in NUMBERS or not sign:
        return None
    parts = condition.split(",")
    low, high = float(parts[0]), float(parts[-1])
    if kind == "timeInterval" and given is not None:
        given *= 60
    if sign == "ne":  # a compound predicate: not equal, which an answer that was not given is not either
        return not (given is not None and equal(kind, form, given, low, quirks, negated=True))
    if given is None:
        return False
    if sign == "e":
        return equal(kind, form, given, low, quirks, negated=False)
    if sign == "range":
        return low <= given <= high
    least = 0 if kind in ("height", "timeInterval") else form["minValue"]
    if not quirks:
        return {"gt": given > low, "lt": given < low, "gte": given >= low, "lte": given <= low}[sign]
    return {"gt": given >= low + 1, "lt": least <= given <= low - 1, "gte": given >= low, "lte": given <= low}[sign]


def equal(kind, form, given, value, quirks, negated):
    if not quirks:
        return given == value
    if kind == "numeric" and form["style"] == "Decimal":
        return value <= given < value + 0.1
    if kind == "continuousScale" and not negated:
        return value + (-0.25 if form["maxFractionDigits"] == 0 else 0) <= given < value + 0.1
    return given == int(value)


def ios_next(steps, index, given, quirks, forms=False):
    """`forms`: a form's destination is followed, as Android and this device do."""
    made = steps[index]
    following = steps[index + 1]["key"] if index + 1 < len(steps) else END
    # A form's destinations are looked for as a question's, and not found.
    if not made["destinations"] or made["type"] == "form" and not forms:
        return following
    default, has_default, predicates = following, False, []
    for rule in made["destinations"]:
        if rule["condition"]:
            holds = ios_predicate(made, rule, given, quirks)
            if holds is not None:
                predicates.append((holds, rule["destination"] or END))
        else:
            default, has_default = rule["destination"] or END, True
    if not predicates:
        return default if has_default else END
    return next((to for holds, to in predicates if holds), default)


# ---------------------------------------------------------------- Android

def java_double(value):
    return str(float(value))


def android_answer(made, given):
    """What the app's step result has, as text; "" where nothing was answered."""
    kind = made["resultType"]
    if given is None:
        return ""
    if kind == "boolean":
        return "true" if given else "false"
    if kind in CHOICES:
        word = given[0]
        if kind in ("imageChoice", "textChoice"):
            choices = made["format"].get("textChoices") or made["format"]["imageChoices"]
            word = next(c["text"] for c in choices if c["value"] == word)
        return word
    return java_double(given / 60 if kind == "timeInterval" else given)


def android_next(steps, index, given):
    made, keys = steps[index], [s["key"] for s in steps]
    rules, kind = made["destinations"], made["resultType"]
    following = keys[index + 1] if index + 1 < len(keys) else END
    if len(rules) == 1 and not rules[0]["condition"]:
        return rules[0]["destination"] or END
    if kind not in CHOICES + NUMBERS + ("boolean",):
        return following
    text, to = android_answer(made, given), ""
    for rule in rules:
        if kind in CHOICES + ("boolean",) or not text:
            if rule["condition"].lower() == text.lower():
                to = rule["destination"]
        elif rule["condition"]:
            value = float(rule["condition"])
            value = value / 3600 if kind == "timeInterval" else value
            number = float(text)
            if {"e": number == value, "gt": number > value, "lt": number < value, "gte": number >= value, "lte": number <= value,
                    "ne": number != value}.get(rule["operator"], False):
                to = rule["destination"]
    return to or END


def difference(steps, index, given):
    """Why the two apps go other ways from this step, as the document has it."""
    made = steps[index]
    kind, rules = made["resultType"], made["destinations"]
    special = [rule for rule in rules if rule["condition"]]
    if made["type"] == "form":
        return "a form"
    if not rules:
        return "no rules"
    if kind not in CHOICES + NUMBERS + ("boolean",):
        return "kind that is not compared"
    if given is None:
        return "left out"
    if kind in CHOICES and len(given) > 1:
        return "several choices"
    if kind in ("textChoice", "imageChoice") and android_answer(made, given) not in (given[0],):
        return "text instead of value"
    if kind in NUMBERS and any("," in rule["condition"] for rule in rules):
        return "range"
    if kind in NUMBERS and ios_next(steps, index, given, True) != ios_next(steps, index, given, False):
        return "comparison"
    return "no rule fits" if special else "no rules"


def walk(steps, answers, follow):
    keys, shown, at = [s["key"] for s in steps], [], steps[0]["key"]
    while at != END:
        index = keys.index(at)
        shown.append(at)
        at = follow(index, answers.get(at))
    return shown


# ---------------------------------------------------------------- the app's own code

STUBS = {
    "android/content/Context.java": "package android.content; public class Context {}",
    "io/realm/Realm.java": "package io.realm; public class Realm {}",
    "io/realm/RealmList.java": "package io.realm; public class RealmList<T> extends java.util.ArrayList<T> {}",
    "com/harvard/utils/AppController.java": """package com.harvard.utils; public class AppController {
        public static io.realm.Realm getRealmobj(android.content.Context c) { return null; } }""",
    "com/harvard/storageModule/DBServiceSubscriber.java": """package com.harvard.storageModule;
        import com.harvard.studyAppModule.custom.Result.StepRecordCustom;
        public class DBServiceSubscriber { public java.util.Map<String, StepRecordCustom> all = new java.util.HashMap<>();
        public StepRecordCustom getResultFromDB(String key, io.realm.Realm realm) { return all.get(key); }
        public void closeRealmObj(io.realm.Realm realm) {} }""",
    "com/harvard/studyAppModule/custom/Result/StepRecordCustom.java": """package com.harvard.studyAppModule.custom.Result;
        public class StepRecordCustom { public static class Choice { public String value, text;
        public String getValue() { return value; } public String getText() { return text; } }
        public java.util.List<Choice> all = new java.util.ArrayList<>(); public java.util.List<Choice> getTextChoices() { return all; } }""",
    "com/harvard/studyAppModule/activityBuilder/model/serviceModel/Steps.java": """
        package com.harvard.studyAppModule.activityBuilder.model.serviceModel;
        public class Steps { public String key, resultType; public java.util.List<Rule> rules = new java.util.ArrayList<>();
        public String getKey() { return key; } public String getResultType() { return resultType; }
        public java.util.List<Rule> getDestinations() { return rules; }
        public static class Rule { public String condition, operator, destination;
        public String getCondition() { return condition; } public String getOperator() { return operator; }
        public String getDestination() { return destination; } } }""",
    "com/harvard/studyAppModule/activityBuilder/model/serviceModel/ActivityObj.java": """
        package com.harvard.studyAppModule.activityBuilder.model.serviceModel;
        public class ActivityObj { public io.realm.RealmList<Steps> steps = new io.realm.RealmList<>();
        public io.realm.RealmList<Steps> getSteps() { return steps; } }""",
    "org/researchstack/backbone/step/Step.java": """package org.researchstack.backbone.step;
        public class Step { String id; public Step(String id) { this.id = id; } public String getIdentifier() { return id; } }""",
    "org/researchstack/backbone/result/StepResult.java": """package org.researchstack.backbone.result;
        public class StepResult { public java.util.Map<String, Object> all = new java.util.HashMap<>();
        public java.util.Map<String, Object> getResults() { return all; } }""",
    "org/researchstack/backbone/result/TaskResult.java": """package org.researchstack.backbone.result;
        public class TaskResult { public java.util.Map<String, StepResult> all = new java.util.HashMap<>();
        public java.util.Map<String, StepResult> getResults() { return all; } }""",
    "org/researchstack/backbone/task/OrderedTask.java": """package org.researchstack.backbone.task;
        import org.researchstack.backbone.step.Step; import org.researchstack.backbone.result.TaskResult;
        public class OrderedTask { protected java.util.List<Step> steps;
        public OrderedTask(String id, java.util.List<Step> steps) { this.steps = steps; }
        public Step getStepAfterStep(Step s, TaskResult r) { return null; }
        public Step getStepBeforeStep(Step s, TaskResult r) { return null; } }""",
    # Lines: A number | S key type | R condition operator destination | C value text | W key word... | . = walk; tabs between.
    "Walks.java": """
        import com.harvard.studyAppModule.activityBuilder.ActivityBuilder;
        import com.harvard.studyAppModule.activityBuilder.model.serviceModel.*;
        import com.harvard.studyAppModule.custom.Result.StepRecordCustom;
        import org.researchstack.backbone.step.Step; import org.researchstack.backbone.result.*; import java.util.*;
        public class Walks { public static void main(String[] a) throws Exception {
          Scanner in = new Scanner(System.in, "UTF-8"); String id = ""; ActivityObj obj = null; List<Step> steps = null;
          com.harvard.storageModule.DBServiceSubscriber db = null; TaskResult result = null; Steps last = null;
          while (in.hasNextLine()) { String[] w = in.nextLine().split("\\t", -1);
            switch (w[0]) {
              case "A": id = w[1]; obj = new ActivityObj(); steps = new ArrayList<>(); result = new TaskResult();
                db = new com.harvard.storageModule.DBServiceSubscriber(); break;
              case "S": last = new Steps(); last.key = w[1]; last.resultType = w[2]; obj.steps.add(last); steps.add(new Step(w[1]));
                db.all.put(id + "_" + w[1], new StepRecordCustom()); break;
              case "R": Steps.Rule r = new Steps.Rule(); r.condition = w[1]; r.operator = w[2]; r.destination = w[3]; last.rules.add(r); break;
              case "C": StepRecordCustom.Choice c = new StepRecordCustom.Choice(); c.value = w[1]; c.text = w[2];
                db.all.get(id + "_" + last.key).all.add(c); break;
              case "W": StepResult s = new StepResult(); Object value = w[2];
                if (w[2].equals("b")) value = Boolean.valueOf(w[3]); else if (w[2].equals("d")) value = Double.valueOf(w[3]);
                else value = Arrays.copyOfRange(w, 3, w.length, Object[].class);
                s.all.put("answer", value); result.all.put(w[1], s); break;
              default: ActivityBuilder task = ActivityBuilder.create(new android.content.Context(), id, steps, obj, true, db);
                StringBuilder way = new StringBuilder(); Step step = task.getStepAfterStep(null, result);
                while (step != null) { way.append(step.getIdentifier()).append(' '); step = task.getStepAfterStep(step, result); }
                System.out.println(way.toString().trim()); } } } }""",
}
SOURCE = "app/src/main/java/com/harvard/studyAppModule/activityBuilder/ActivityBuilder.java"


def app_walks(repository, all_steps, all_answers):
    shown = subprocess.run(["git", "-C", repository, "show", "HEAD:" + SOURCE], capture_output=True, check=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        files = dict({name: text.encode() for name, text in STUBS.items()})
        files["com/harvard/studyAppModule/activityBuilder/ActivityBuilder.java"] = shown
        for name, text in files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            open(path, "wb").write(text)
        subprocess.run(["javac", "-nowarn", "-encoding", "UTF-8", "-d", folder] + [os.path.join(folder, name) for name in files],
                       check=True, capture_output=True)
        lines = []
        for number, (steps, answers) in enumerate(zip(all_steps, all_answers)):
            lines.append(f"A\tA{number}")
            for made in steps:
                lines.append(f"S\t{made['key']}\t{made['resultType']}")
                lines += [f"R\t{r['condition']}\t{r['operator']}\t{r['destination']}" for r in made["destinations"]]
                choices = made["format"].get("textChoices") or made["format"].get("imageChoices") or []
                lines += [f"C\t{c['value']}\t{c['text']}" for c in choices]
                given = answers.get(made["key"])
                if isinstance(given, bool):
                    lines.append(f"W\t{made['key']}\tb\t{'true' if given else 'false'}")
                elif isinstance(given, list) and made["resultType"] in ("textScale", "valuePicker"):
                    lines.append(f"W\t{made['key']}\ts\t{given[0]}")
                elif isinstance(given, list):
                    lines.append("\t".join(["W", made["key"], "s"] + given))
                elif given is not None:
                    lines.append(f"W\t{made['key']}\td\t{given / 60 if made['resultType'] == 'timeInterval' else given!r}")
            lines.append(".")
        ran = subprocess.run(["java", "-cp", folder, "Walks"], input="\n".join(lines).encode(), capture_output=True, check=True)
        return [line.split() for line in ran.stdout.decode().split("\n")[:len(all_steps)]]


def main():
    rng = random.Random(20261122)
    activities = [activity(rng, number) for number in range(800)]
    # The app crashes over "3,6"; in what it is given there is none.
    all_steps = [a["activity"]["steps"] for a in activities]
    all_answers = [{made["key"]: given for made in steps if (given := answer(rng, made)) is not None} for steps in all_steps]
    lines = []
    for made, steps, answers in zip(activities, all_steps, all_answers):
        has_range = any("," in rule["condition"] for s in steps for rule in s["destinations"])
        line = {"activity": made, "answers": answers,
                "ios": walk(steps, answers, lambda i, g: ios_next(steps, i, g, True)),
                "box": walk(steps, answers, lambda i, g: ios_next(steps, i, g, True, forms=True)),
                "strict": walk(steps, answers, lambda i, g: ios_next(steps, i, g, False, forms=True))}
        if not has_range:
            line["android"] = walk(steps, answers, lambda i, g: android_next(steps, i, g))
            for one, other in zip(line["ios"] + [END], line["android"] + [END]):
                if one != other:
                    break
                if one != END:
                    last = one
            if line["ios"] != line["android"]:
                line["difference"] = difference(steps, [s["key"] for s in steps].index(last), answers.get(last))
        lines.append(line)
    if len(sys.argv) > 1:
        chosen = [n for n, line in enumerate(lines) if "android" in line]
        walked = app_walks(sys.argv[1], [all_steps[n] for n in chosen], [all_answers[n] for n in chosen])
        for n, way in zip(chosen, walked):
            lines[n]["app"] = way
    for line in lines:
        print(json.dumps(line))


main()
