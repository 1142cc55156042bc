// SPDX-License-Identifier: Apache-2.0
import Base

/// The questions of a study of SageResearch: task files, the files of sections and steps that they name, and
/// `study.toml` as `study.json`. They are named by their paths, as in `SageResult`. `CodebookReader` calls it
/// with all files of a folder.
struct SageCodebook {
    /// Bounds sections, and files that name each other.
    private static let deepest = 32
    private static let mostSteps = 10_000
    private static let transforms: Set = ["transform", "transformableAssessment"]
    /// Steps that answer without asking.
    private static let performed: Set = [
        "tapping", "reactionTime", "gonogo", "timedWalk", "psat", "audioLevel",
    ]

    /// A task while it is read.
    private struct TaskTitle {
        let key: String
        let name: String
    }

    /// By their names without folders and `.json`.
    private let files: [String: JSONText]
    private var codebook = Codebook()
    private var known: Set<[String]> = []
    private var steps = 0

    /// `files` by their names. Nil for other files, or another study.
    static func read(_ files: [String: JSONText], _ study: String) -> Codebook? {
        var reader = SageCodebook(files)
        return reader.read(study)
    }

    private init(_ files: [String: JSONText]) {
        self.files = Dictionary(files.map { (Self.stem($0.key), $0.value) }) { first, _ in first }
    }

    private static func stem(_ name: String) -> String {
        let last = name.split(separator: "/").last.map(String.init) ?? name
        return last.hasSuffix(".json") ? String(last.dropLast(5)) : last
    }

    private mutating func read(_ study: String) -> Codebook? {
        let settings = files["study"].flatMap { $0["steps"] == nil ? $0 : nil }
        let tasks = tasks(in: settings)
        guard (settings ?? tasks.first?.root)?["identifier"]?.string == study, !tasks.isEmpty else { return nil }
        codebook.title = settings?["name"]?.string
        codebook.instructions = settings?["instructions"].map(PlainWords.of)
        codebook.ethics = settings?["ethics"].map(PlainWords.of)
        for (root, entry) in tasks {
            let key = (entry?["identifier"] ?? root["identifier"])?.string ?? ""
            let name = (entry?["title"] ?? root["title"])?.plain ?? ""
            walk(root["steps"]?.array ?? [], [], TaskTitle(key: key, name: name))
        }
        return codebook
    }

    /// Those that the settings list, else every file that is one and part of no other; if all name each other, all.
    private func tasks(in settings: JSONText?) -> [(root: JSONText, entry: JSONText?)] {
        if let listed = settings?["task"] ?? settings?["tasks"] {
            return listed.array.compactMap { entry in
                entry["file"]?.string.flatMap { files[Self.stem($0)] }.map { ($0, entry) }
            }
        }
        let tasks = files.filter { $0.value["steps"] != nil && $0.value["type"]?.string != "section" }
        let parts = Set(tasks.flatMap { Self.resources(of: $0.value).subtracting([$0.key]) })
        let whole = tasks.filter { !parts.contains($0.key) }
        return (whole.isEmpty ? tasks : whole).sorted { $0.key < $1.key }.map { ($0.value, nil) }
    }

    private static func resources(of value: JSONText) -> Set<String> {
        var found: Set<String> = []
        if let name = value["resourceName"]?.string { found.insert(stem(name)) }
        for part in value.array + value.members.map(\.value) { found.formUnion(resources(of: part)) }
        return found
    }

    // MARK: - Steps

    private mutating func walk(_ steps: [JSONText], _ path: [String], _ task: TaskTitle) {
        guard path.count < Self.deepest else { return }
        for step in steps {
            self.steps += 1
            guard self.steps <= Self.mostSteps else { return }
            let step = resolved(step)
            guard let name = step["identifier"]?.string else { continue }
            if let inner = inner(of: step) {
                walk(inner, path + [name], task)
            } else {
                ask(step, path + [name], task)
            }
        }
    }

    /// The step of another file, in which this step's own members replace those of the same key.
    private func resolved(_ step: JSONText, depth: Int = 0) -> JSONText {
        guard depth < Self.deepest, Self.transforms.contains(step["type"]?.string ?? ""),
            let name = (step["resourceTransformer"] ?? step)["resourceName"]?.string, let file = files[Self.stem(name)]
        else { return step }
        let own = step.members.filter { !["type", "resourceTransformer", "resourceName"].contains($0.key) }
        let kept = file.members.filter { member in !own.contains { $0.key == member.key } }
        return resolved(.object(kept + own), depth: depth + 1)
    }

    /// The steps of a section or task; nil for a step.
    private func inner(of step: JSONText) -> [JSONText]? {
        let transformer = step["taskTransformer"] ?? step["resourceTransformer"]
        let named = transformer?["resourceName"]?.string.flatMap { files[Self.stem($0)] }
        return (step["steps"] ?? step["task"]?["steps"] ?? named?["steps"])?.array
    }

    private mutating func ask(_ step: JSONText, _ path: [String], _ task: TaskTitle) {
        let type = step["type"]?.string ?? ""
        switch type {
        case "simpleQuestion": add([step, step["inputItem"] ?? .null], path, task)
        case "choiceQuestion", "stringChoiceQuestion", "comboBoxQuestion": add([step], path, task)
        case "multipleInputQuestion":
            add([step], path, task)
            let items = step["inputItems"]?.array ?? []
            for (place, item) in items.enumerated() {
                let name = item["identifier"]?.string ?? (items.count == 1 ? path.last ?? "" : "\(place + 1)")
                add([step, item], path + [name], task)
            }
        case "handSelection":
            var item = item([step], path, task)
            item.levels = ["left", "right", "both"].map { .init($0, "\($0) hand\($0 == "both" ? "s" : "")") }
            keep(item)
        case _ where Self.performed.contains(type): add([step], path, task)
        default: form(step, path, task)
        }
    }

    /// A form of v1 to v3; until July 2018 it could be its only field.
    private mutating func form(_ step: JSONText, _ path: [String], _ task: TaskTitle) {
        guard let fields = step["inputFields"]?.array else {
            if step["dataType"] != nil { add([step], path, task) }
            return
        }
        for field in fields {
            let name = field["identifier"]?.string ?? path.last ?? ""
            add([step, field], fields.count > 1 || name != path.last ? path + [name] : path, task)
        }
    }

    // MARK: - Items

    private mutating func add(_ holders: [JSONText], _ path: [String], _ task: TaskTitle) {
        var item = item(holders, path, task)
        let input = holders.last ?? .null
        item.isRequired = holders.contains { $0["optional"]?.bool == false }
        if ["boolean", "checkbox"].contains(item.type) { item.levels = [.init("true", "yes"), .init("false", "no")] }
        let range = input["formatOptions"] ?? input["range"]
        (item.least, item.most) = (range?["minimumValue"]?.double, range?["maximumValue"]?.double)
        let isNamed = range?["minimumLabel"] != nil || range?["maximumLabel"] != nil
        if isNamed, let least = item.least, let most = item.most {
            item.levels = [
                .init(JSONText.spelling(of: least), PlainWords.of(range?["minimumLabel"])),
                .init(JSONText.spelling(of: most), PlainWords.of(range?["maximumLabel"])),
            ]
        }
        if let choices = input["choices"]?.array { item.levels = Self.levels(choices) }
        keep(item)
    }

    /// A choice without a value is kept by its text, one whose value came before with a number.
    private static func levels(_ choices: [JSONText]) -> [Codebook.Item.Level] {
        var keys = ChoiceKeys()
        return choices.map { choice in
            let isObject = !choice.members.isEmpty
            let text: JSONText? = isObject ? choice["text"] ?? choice["value"] : choice
            let value: JSONText? = isObject ? choice["value"] ?? text : choice
            return .init(keys.key(value?.plain ?? ""), PlainWords.of(text))
        }
    }

    /// `holders` are a question and, if it has one, its field.
    private func item(_ holders: [JSONText], _ path: [String], _ task: TaskTitle) -> Codebook.Item {
        let keys = ["title", "subtitle", "text", "detail", "footnote", "prompt", "promptDetail", "fieldLabel"]
        var words = holders.flatMap { holder in keys.map { PlainWords.of(holder[$0]) } }.filter { !$0.isEmpty }
            .joined(separator: " ")
        if let hand = path.last(where: { ["left", "right"].contains($0) }) {
            words = words.replacing("%@", with: hand)
        }
        let input = holders.last
        return Codebook.Item(
            task: task.key, taskName: task.name, item: path.joined(separator: "_"),
            type: (input?["dataType"] ?? input?["type"])?.string ?? "", words: words)
    }

    private mutating func keep(_ item: Codebook.Item) {
        if known.insert([item.task, item.item]).inserted { codebook.items.append(item) }
    }
}
