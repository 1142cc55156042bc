// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads studies of FDA MyStudies: an activity list and the metadata of each activity, as the study
/// metadata server gives them.
///
/// The files' contents tell which is which; their names do not matter. An activity without a list
/// is taken as one that can be done at any time.
package struct MyStudiesReader: StudyReader {
    package init() {}

    /// True where a file holds `activities`, or an `activity` with steps.
    package func recognises(_ source: StudySource) -> Bool {
        source.files.contains { file in
            guard file.name.hasSuffix(".json"), let root = try? JSONNode(file.bytes) else { return false }
            return root["activities"] != nil || root["activity"]?["steps"] != nil
        }
    }

    /// The options with every choice written out: which app is followed, how numbers are compared, and how
    /// far ahead runs are planned.
    package func completed(_ options: StudyOptions) -> StudyOptions {
        MyStudiesSettings.options(
            policy: options.policy, likeTheApp: options.comparesLikeTheApp, horizon: options.horizon,
            language: options.language)
    }

    /// Every problem of every file is thrown at once.
    package func decode(_ source: StudySource) throws(StudyFormatError) -> StudyProtocol {
        var roots: [JSONPlace] = []
        // study.toml comes as study.json.
        for file in source.files where file.name.hasSuffix(".json") {
            let name = source.files.count == 1 ? nil : file.name
            let node = try JSONNode(study: file.bytes, in: name)
            roots.append(name.map { JSONPlace(root: node, file: $0) } ?? JSONPlace(root: node))
        }
        var decoder = MyStudiesDecoder(roots, options: source.options)
        return try decoder.study()
    }
}

/// Reads the JSON files of one study: call `study()` once. All problems are collected in `findings` and
/// thrown together by `findings.finish()`.
struct MyStudiesDecoder {
    private static let maximumActivities = 1_000

    private let roots: [JSONPlace]
    private let options: StudyOptions
    private var findings = Findings()
    /// Ids of activities that those who run the study have taken out of it.
    private var deleted: Set<String> = []

    init(_ roots: [JSONPlace], options: StudyOptions) {
        self.roots = roots
        self.options = options
    }

    mutating func study() throws(StudyFormatError) -> StudyProtocol {
        // Which file is which: activities, the study's own file, the list.
        let metadata = activities()
        let owners = roots.filter { $0.member("identifier") != nil && $0.member("activities") == nil }
        let settings = owners.first
        if owners.count > 1 {
            findings.expected(
                "the study's identifier in one file, study.toml or study.json", at: owners[1], found: "a second one")
        }
        let list = roots.first { $0.member("activities") != nil }
        // The tasks: those of the list, or without one every activity.
        let read: [ReadTask]
        if let list {
            read = listed(list, metadata)
        } else {
            var seen: Set<String> = []
            read = metadata.enumerated().compactMap { index, activity in
                guard isFirst(activity.id, &seen, at: activity.place) else { return nil }
                return unlisted(activity, index)
            }
        }
        let tasks = read.map(\.task)
        if tasks.isEmpty, deleted.isEmpty, let root = roots.first {
            findings.expected("at least one activity", at: root, found: "none")
        }
        refuseUnknownAnchors(read, at: list ?? roots.first)
        let studyID = settings?.member("identifier")?.text ?? metadata.lazy.compactMap(\.studyID).first ?? ""
        // What concerns the whole study; `findings` pass from reader to reader.
        var contradictions = MyStudiesContradictions(tasks: tasks, deleted: deleted, list: list, findings: findings)
        contradictions.checkOtherActivities(metadata, studyID: studyID)
        var other = MyStudiesTexts(roots: roots, findings: contradictions.findings)
        let texts = other.texts(settings)
        let resources = other.resources()
        let withdrawal = other.withdrawal()
        let feedback = other.feedback(tasks)
        findings = other.findings
        warnOfUnknownSources(other.resourceSources, tasks)
        try findings.finish()
        var study = StudyProtocol(
            platform: .mystudies, studyID: studyID, texts: texts, conditions: [], tasks: tasks,
            postURL: settings?.member("response_url")?.text, writer: MyStudiesWire(), remarks: findings.remarks)
        study.version = settings?.member("study_version")?.text
        study.language = options.language
        study.leaving.allowsRejoining = settings?.member("rejoin")?.boolean ?? true
        let sources = Set(read.compactMap { $0.frequency.anchor?.source }).union(other.resourceSources)
        study.anchors = Self.anchors(sources)
        study.resources = resources
        study.leaving.withdrawal = withdrawal
        study.feedback = feedback
        return study
    }

    private static func anchors(_ sources: Set<MyStudiesFrequency.Anchor.Source>) -> AnchorDates {
        var dates = AnchorDates()
        dates.questions = sources.compactMap { source in
            guard case .answer(let activity, let key) = source, let variable = source.variable else { return nil }
            return AnchorRule(task: activity, question: key, variable: variable)
        }.sorted { $0.variable < $1.variable }
        dates.server = sources.compactMap(\.serverVariable).sorted { $0.variable < $1.variable }
        return dates
    }

    /// A task, and the frequency that its anchors are taken from.
    private struct ReadTask {
        let task: StudyTask
        let frequency: MyStudiesFrequency
    }

    /// The metadata of one activity: its steps lie at `place`.
    struct Activity {
        let id: String
        let version: String
        let studyID: String?
        let place: JSONPlace
    }

    private mutating func activities() -> [Activity] {
        roots.compactMap { root in
            guard let place = root.member("activity"), let metadata = place.member("metadata") else { return nil }
            guard let id = findings.requiredText("activityId", in: metadata) else { return nil }
            return Activity(
                id: id, version: metadata.member("version")?.text ?? "1.0", studyID: metadata.member("studyId")?.text,
                place: place)
        }
    }

    private mutating func listed(_ list: JSONPlace, _ metadata: [Activity]) -> [ReadTask] {
        let places = findings.objects(findings.array("activities", of: "activities", in: list), "an activity")
        guard places.count <= Self.maximumActivities else {
            findings.expected(
                "at most \(Self.maximumActivities) activities", at: list, found: "\(places.count)")
            return []
        }
        var seen: Set<String> = []
        return places.enumerated().compactMap { index, place in
            guard let id = findings.requiredText("activityId", in: place) else { return nil }
            guard MyStudiesListing.isActive(state: place.member("state")?.text) else {
                deleted.insert(id)
                findings.assume("\(id) was deleted: it is neither asked nor shown", for: "state", in: place)
                return nil
            }
            guard isFirst(id, &seen, at: place) else { return nil }
            let version = place.member("activityVersion")?.text ?? "1.0"
            guard let activity = metadata.first(where: { $0.id == id && $0.version == version }) else {
                findings.expected(
                    "the metadata of \(id) in version \(version) among the files", at: place, found: "none")
                return nil
            }
            MyStudiesContradictions.compare(place, with: activity.place, &findings)
            return task(
                activity, index: index, name: findings.text("title", in: place), frequency: findings.frequency(place),
                branches: place.member("branching")?.isTrue ?? false)
        }
    }

    private mutating func isFirst(_ id: String, _ seen: inout Set<String>, at place: JSONPlace) -> Bool {
        guard !seen.insert(id).inserted else { return true }
        findings.expected("a unique activityId", at: place, found: "\"\(id)\" again")
        return false
    }

    private mutating func unlisted(_ activity: Activity, _ index: Int) -> ReadTask? {
        findings.assume("no activity list names it; it can be done at any time", at: activity.place)
        let name = activity.place.member("metadata").map { findings.text("name", in: $0) } ?? activity.id
        let frequency = MyStudiesFrequency(
            kind: .ongoing, start: nil, end: nil, dayRuns: [], runs: [], anchor: nil)
        // Only a list can say that destinations do not count.
        return task(activity, index: index, name: name, frequency: frequency, branches: true)
    }

    private mutating func task(
        _ activity: Activity, index: Int, name: String, frequency: MyStudiesFrequency?, branches: Bool
    ) -> ReadTask? {
        guard let frequency else { return nil }
        var reading = MyStudiesActivity(activity.place, branches: branches, options: options, findings: findings)
        let steps = reading.steps()
        findings = reading.findings
        let name = PlainText(html: name.isEmpty ? activity.id : name).text
        let task = StudyTask(
            key: activity.id, index: index, wireName: activity.version, name: name,
            prompt: PromptText(title: name, message: ""), condition: nil,
            schedule: MyStudiesSchedule(frequency: frequency, options: options),
            isSticky: frequency.kind == .ongoing,
            content: Questionnaire(steps), recorders: reading.recorders)
        return ReadTask(task: task, frequency: frequency)
    }

    /// An activity whose anchor is an unknown question would never be due.
    private mutating func refuseUnknownAnchors(_ read: [ReadTask], at root: JSONPlace?) {
        for (task, frequency) in read.map({ ($0.task, $0.frequency) }) {
            guard case .answer(let activity, let key)? = frequency.anchor?.source else { continue }
            let steps = read.first { $0.task.key == activity }?.task.content.steps ?? []
            guard steps.contains(where: { $0.key == key }) == false, let root else { continue }
            if deleted.contains(activity) {
                findings.assume(
                    "\(task.key) counts from an answer to \(activity), which was deleted: participants who have not given it never get it",
                    at: root)
                continue
            }
            findings.expected(
                "a question of this study as the source of the anchor of \(task.key)", at: root,
                found: "\(activity)/\(key)")
        }
    }
}

extension MyStudiesDecoder {
    /// A resource may count from an answer to an activity that the study no longer has.
    private mutating func warnOfUnknownSources(_ sources: Set<MyStudiesFrequency.Anchor.Source>, _ tasks: [StudyTask]) {
        let unknown = sources.compactMap { source -> String? in
            guard case .answer(let activity, let key) = source else { return nil }
            let steps = tasks.first { $0.key == activity }?.content.steps ?? []
            return steps.contains { $0.key == key } ? nil : "\(activity)/\(key)"
        }
        guard let place = roots.first(where: { $0.member("resources") != nil }) else { return }
        for name in unknown.sorted() {
            findings.warn(
                "a resource counts from \(name), which this study does not ask: only those whose answer the server has get it",
                at: place)
        }
    }
}

extension MyStudiesFrequency.Anchor.Source {
    /// Where the server keeps what an anchor counts from: an activity's list, a form's own list, or the list of
    /// properties.
    /// Nil for the day of enrolment, and where there is no source.
    var serverVariable: ServerVariable? {
        guard let variable else { return nil }
        switch self {
        case .enrolment, .nothing: return nil
        case .answer(let activity, let key):
            let parts = key.split(separator: "/", maxSplits: 1).map(String.init)
            return ServerVariable(
                variable: variable, table: parts.count == 2 ? activity + parts[0] : activity, column: parts.last ?? key)
        case .property(let property):
            return ServerVariable(
                variable: variable, table: "ParticipantProperties", column: property.id,
                externalColumn: property.external, entryColumn: property.entry, refreshes: property.refreshes)
        }
    }
}
