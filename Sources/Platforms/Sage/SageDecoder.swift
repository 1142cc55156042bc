// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads the files of one study, for `SageReader`: call `study()` once. Problems are collected in `findings` and thrown
/// together by `findings.finish()`.
struct SageDecoder {
    private static let maximumTasks = 200

    /// Every file by its name without `.json`; those of a study without `study.toml` are read at
    /// once, others when they are named.
    private var files: [String: StudySource.File] = [:]
    /// Names of all files but `study.toml`.
    private let names: [String]
    /// `study.toml`; nil = there is none.
    private let settings: JSONPlace?
    /// The study is a single file, whose name need not be in messages.
    private let isAlone: Bool
    private var findings = Findings()
    /// Files whose unknown keys and trailing commas have been warned of.
    private var known: Set<String> = []

    init(_ source: StudySource) throws(StudyFormatError) {
        isAlone = source.files.count == 1
        for file in source.files { files[Self.stem(file.name)] = file }
        let settingsFile = files["study"].flatMap { Self.isSettings($0, isAlone: source.files.count == 1) ? $0 : nil }
        names = source.files.map(\.name).filter { settingsFile == nil || Self.stem($0) != "study" }
        settings = try Self.root(of: settingsFile, as: "study.toml")?.place
        if let settings, source.files.count(where: { Self.stem($0.name) == "study" }) > 1 {
            findings.expected(
                "no study.json beside study.toml: give the task file another name", at: settings, found: "both")
        }
    }

    /// `study.toml` has no steps. The only file of a study may be a task of any name unless it names the platform.
    private static func isSettings(_ file: StudySource.File, isAlone: Bool) -> Bool {
        guard let root = try? JSONNode.lenient(file.bytes).node else { return false }
        let place = JSONPlace(root: root)
        return place.member("steps") == nil && (!isAlone || place.member("platform") != nil)
    }

    /// The file's name without folders and `.json`.
    static func stem(_ name: String) -> String {
        let last = name.split(separator: "/").last.map(String.init) ?? name
        return last.hasSuffix(".json") ? String(last.dropLast(5)) : last
    }

    private static func root(
        of file: StudySource.File?, as name: String?
    ) throws(StudyFormatError) -> (place: JSONPlace, trailingCommas: [JSONPlace])? {
        guard let file else { return nil }
        func place(_ node: JSONNode) -> JSONPlace {
            name.map { JSONPlace(root: node, file: $0) } ?? JSONPlace(root: node)
        }
        do {
            // Sage's apps read such commas, and published files have them.
            let (node, commas) = try JSONNode.lenient(file.bytes)
            return (place(node), commas.map { place(JSONNode(content: .null, line: $0)) })
        } catch {
            throw StudyFormatError(error, in: name)
        }
    }

    /// The file of that name, with or without `.json`; nil where there is none.
    private mutating func file(_ name: String) throws(StudyFormatError) -> JSONPlace? {
        let file = files[Self.stem(name)]
        guard let (root, commas) = try Self.root(of: file, as: isAlone ? nil : file?.name) else { return nil }
        guard known.insert(Self.stem(name)).inserted else { return root }
        for comma in commas { findings.warn("JSON allows no comma behind the last element; it is ignored", at: comma) }
        SageKeys.task.warn(of: root, &findings)
        return root
    }

    mutating func study() throws(StudyFormatError) -> StudyProtocol {
        var read: [ReadTask] = []
        for (index, entry) in try entries().enumerated() {
            if let task = try task(entry, index) { read.append(task) }
        }
        let tasks = read.map(\.task)
        var seen: Set<String> = []
        for task in tasks where !seen.insert(task.key).inserted {
            findings.expected(
                "tasks with unique identifiers (`identifier` of a task in study.toml gives it another)",
                path: "$",
                found: "\"\(task.key)\" twice")
        }
        refuseUnknownAnchors(read)
        let texts = texts()
        if let settings { SageKeys.settings.warn(of: settings, &findings) }
        let sageStudy = SageStudy(settings, &findings)
        let identifier =
            settings.map { findings.requiredText("identifier", in: $0) ?? "" } ?? tasks.first?.key ?? ""
        if tasks.isEmpty, findings.problems.isEmpty {
            let wanted = settings == nil ? "at least one task" : "at least one task file beside study.toml"
            findings.expected(wanted, path: settings?.path ?? "$", found: withoutTasks)
        }
        try findings.finish()
        var study = StudyProtocol(
            platform: .sage, studyID: identifier, texts: texts, conditions: [], tasks: tasks,
            postURL: settings?.member("destination")?.text,
            writer: SageWriter(
                study: sageStudy, tasks: Dictionary(read.map { ($0.task.key, $0.source) }) { first, _ in first }),
            remarks: Self.once(findings.remarks))
        study.version = settings?.member("version")?.text
        let rules = read.compactMap(\.schedule.anchor.rule)
        if !rules.isEmpty {
            var anchors = AnchorDates()
            anchors.questions = rules
            study.anchors = anchors
        }
        return study
    }

    /// Drops repeated remarks, which come from a file that several steps use.
    private static func once(_ remarks: [Remark]) -> [Remark] {
        var seen: Set<Remark> = []
        return remarks.filter { seen.insert($0).inserted }
    }

    private struct ReadTask {
        let task: StudyTask
        let source: SageTask
        let schedule: SageSchedule
        /// What `study.toml` says of it; nil = nothing.
        let settings: JSONPlace?
    }

    /// A task's file, and what `study.toml` says of it.
    private struct Entry {
        let root: JSONPlace
        let settings: JSONPlace?
    }

    /// What is there instead, by the first file with steps.
    private var withoutTasks: String {
        for name in names {
            guard let file = files[Self.stem(name)], let root = try? JSONNode.lenient(file.bytes).node,
                SageReader.hasSteps(root), let type = JSONPlace(root: root).member("type")
            else { continue }
            return "none (\(file.name) is of the type \(type.node.summary))"
        }
        return "none"
    }

    private mutating func entries() throws(StudyFormatError) -> [Entry] {
        guard let listed = settings?.member("task") ?? settings?.member("tasks") else { return try unlisted() }
        return try entries(listed)
    }

    /// Every file that is a task, where `study.toml` lists none.
    private mutating func unlisted() throws(StudyFormatError) -> [Entry] {
        var tasks: [(stem: String, root: JSONPlace)] = []
        for name in names {
            // Other files are read where a task names them; a single one is meant as a task.
            let named = files[Self.stem(name)]
            guard let root = try Self.root(of: named, as: isAlone ? nil : named?.name)?.place,
                isAlone || SageReader.isTask(root.node),
                let task = try file(name)
            else { continue }
            tasks.append((Self.stem(name), task))
        }
        // A task that another one names is part of that one; if they name each other, all are tasks.
        let parts = Set(tasks.flatMap { task in SageTaskReader.resources(of: task.root).filter { $0 != task.stem } })
        let whole = tasks.filter { !parts.contains($0.stem) }
        return (whole.isEmpty ? tasks : whole).map { Entry(root: $0.root, settings: nil) }
    }

    /// The tasks that `study.toml` lists.
    private mutating func entries(_ listed: JSONPlace) throws(StudyFormatError) -> [Entry] {
        let places = findings.objects(listed.elements ?? [], "a table with `file`")
        if listed.elements == nil { findings.expected("a list of tables, one for each task", at: listed) }
        if listed.elements?.isEmpty ?? false {
            findings.expected("a table `[[task]]` for each task, or no list: then every task file is one", at: listed)
        }
        var entries: [Entry] = []
        for place in places.prefix(Self.maximumTasks) {
            guard let name = findings.requiredText("file", in: place) else { continue }
            guard let root = try file(name) else {
                findings.expected("the file of a task in the study's folder", at: place, found: "no \(name)")
                continue
            }
            entries.append(Entry(root: root, settings: place))
        }
        if places.count > Self.maximumTasks {
            findings.expected("at most \(Self.maximumTasks) tasks", at: listed, found: "\(places.count)")
        }
        return entries
    }

    private mutating func task(_ entry: Entry, _ index: Int) throws(StudyFormatError) -> ReadTask? {
        guard let identifier = findings.requiredText("identifier", in: entry.root) else { return nil }
        if let type = entry.root.member("type"), type.text.map({ !SageReader.taskTypes.contains($0) }) ?? true {
            findings.expected(
                "a task (\(SageReader.taskTypes.sorted().joined(separator: ", "))), or a file without a type", at: type)
            return nil
        }
        var files: [String: JSONPlace] = [:]
        var wanted = SageTaskReader.resources(of: entry.root)
        while let name = wanted.popFirst() {
            guard files[name] == nil, let root = try file(name) else { continue }
            files[name] = root
            wanted.formUnion(SageTaskReader.resources(of: root))
        }
        let key = entry.settings?.member("identifier")?.text ?? identifier
        var reader = SageTaskReader(entry.root, key: key, files: files, findings: findings)
        let reading = reader.read(identifier)
        findings = reader.findings
        var source = reading.source
        source.assessment = BridgeAssessment(entry.settings, &findings)
        let schedule = entry.settings.map { SageSchedule($0, &findings) } ?? SageSchedule()
        let name = entry.settings?.member("title")?.text ?? reader.title ?? identifier
        let task = StudyTask(
            key: key, index: index, wireName: source.versionString, name: name,
            prompt: PromptText(title: name, message: entry.settings?.member("message")?.text ?? ""), condition: nil,
            schedule: schedule, isSticky: schedule.isOpenAlways,
            content: Questionnaire(reading.steps), recorders: reading.recorders)
        return ReadTask(task: task, source: source, schedule: schedule, settings: entry.settings)
    }

    private mutating func texts() -> StudyTexts {
        var texts = StudyTexts()
        guard let settings else { return texts }
        texts.name = findings.text("name", in: settings)
        texts.instructions = findings.text("instructions", in: settings)
        texts.contactEmail = findings.text("contact_email", in: settings)
        texts.contactURL = findings.text("contact_url", in: settings)
        texts.ethics = findings.text("ethics", in: settings)
        texts.consent = findings.text("consent", in: settings)
        return texts
    }

    private mutating func refuseUnknownAnchors(_ read: [ReadTask]) {
        let tasks = read.map(\.task)
        for (task, schedule, settings) in read.compactMap({ entry in
            entry.settings.map { (entry.task, entry.schedule, $0) }
        }) {
            if let rule = schedule.anchor.rule {
                let steps = tasks.first { $0.key == rule.task }?.content.steps ?? []
                let isDate = steps.first { $0.key == rule.question }.map {
                    if case .dateTime = $0.format { true } else { false }
                }
                if isDate != true {
                    findings.expected(
                        "a question of this study that asks for a date as the anchor of \(task.key)",
                        at: settings.member("anchor") ?? settings, found: "\(rule.task)/\(rule.question)")
                }
            }
            if let after = schedule.after, !tasks.contains(where: { $0.key == after.task }) {
                findings.expected(
                    "a task of this study in `after` of \(task.key)", at: settings.member("after") ?? settings,
                    found: after.task)
            }
        }
    }
}

extension Findings {
    /// Adds a problem at a path whose line is not known.
    fileprivate mutating func expected(_ what: String, path: String, found: String) {
        giveBack([.init(path: path, line: nil, expected: what, found: found)])
    }
}
