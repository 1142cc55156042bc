// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads the JSON files of one study, for `MyStudiesReader`: call `study()` once. All problems are collected in
/// `findings` and thrown together by `findings.finish()`.
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
        let metadata = activities()
        let settings = settings()
        let list = roots.first { $0.member("activities") != nil }
        let read: [ReadTask] = if let list { listed(list, metadata) } else { unlisted(metadata) }
        let tasks = read.map(\.task)
        if tasks.isEmpty, deleted.isEmpty, let root = roots.first {
            findings.expected("at least one activity", at: root, found: "none")
        }
        refuseUnknownAnchors(read, at: list ?? roots.first)
        let studyID = settings?.member("identifier")?.text ?? metadata.lazy.compactMap(\.studyID).first ?? ""
        checkOtherActivities(metadata, tasks, list, studyID: studyID)
        var extras = MyStudiesExtrasReader(roots: roots, findings: findings)
        let texts = extras.texts(settings)
        let resources = extras.resources()
        let withdrawal = extras.withdrawal()
        let feedback = extras.feedback(tasks)
        findings = extras.findings
        warnOfUnknownSources(extras.resourceSources, tasks)
        try findings.finish()
        var study = StudyProtocol(
            platform: .mystudies, studyID: studyID, texts: texts, conditions: [], tasks: tasks,
            postURL: settings?.member("response_url")?.text, writer: MyStudiesWire(), remarks: findings.remarks)
        study.version = settings?.member("study_version")?.text
        study.language = options.language
        study.leaving.allowsRejoining = settings?.member("rejoin")?.boolean ?? true
        study.anchors = Self.anchors(Set(read.compactMap { $0.frequency.anchor?.source }).union(extras.resourceSources))
        study.resources = resources
        study.leaving.withdrawal = withdrawal
        study.feedback = feedback
        return study
    }

    /// The study's own file, `study.toml` or `study.json`.
    private mutating func settings() -> JSONPlace? {
        let files = roots.filter { $0.member("identifier") != nil && $0.member("activities") == nil }
        if files.count > 1 {
            findings.expected(
                "the study's identifier in one file, study.toml or study.json", at: files[1], found: "a second one")
        }
        return files.first
    }

    private mutating func checkOtherActivities(
        _ metadata: [Activity], _ tasks: [StudyTask], _ list: JSONPlace?, studyID: String
    ) {
        var contradictions = MyStudiesContradictions(tasks: tasks, deleted: deleted, list: list, findings: findings)
        contradictions.checkOtherActivities(metadata, studyID: studyID)
        findings = contradictions.findings
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
                activity, index: index, name: findings.text("title", in: place),
                frequency: MyStudiesFrequencyReader.frequency(place, &findings),
                branches: place.member("branching")?.isTrue ?? false)
        }
    }

    private mutating func isFirst(_ id: String, _ seen: inout Set<String>, at place: JSONPlace) -> Bool {
        guard !seen.insert(id).inserted else { return true }
        findings.expected("a unique activityId", at: place, found: "\"\(id)\" again")
        return false
    }

    /// Without a list every activity is a task.
    private mutating func unlisted(_ metadata: [Activity]) -> [ReadTask] {
        var seen: Set<String> = []
        return metadata.enumerated().compactMap { index, activity in
            isFirst(activity.id, &seen, at: activity.place) ? unlisted(activity, index) : nil
        }
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
        var reader = MyStudiesActivityReader(activity.place, branches: branches, options: options, findings: findings)
        let steps = reader.steps()
        findings = reader.findings
        let name = PlainText(html: name.isEmpty ? activity.id : name).text
        let task = StudyTask(
            key: activity.id, index: index, wireName: activity.version, name: name,
            prompt: PromptText(title: name, message: ""), condition: nil,
            schedule: MyStudiesSchedule(frequency: frequency, options: options),
            isSticky: frequency.kind == .ongoing,
            content: Questionnaire(steps), recorders: reader.recorders)
        return ReadTask(task: task, frequency: frequency)
    }

    /// An activity whose anchor is an unknown question would never be due.
    private mutating func refuseUnknownAnchors(_ read: [ReadTask], at root: JSONPlace?) {
        for (task, frequency) in read.map({ ($0.task, $0.frequency) }) {
            guard case .answer(let activity, let key)? = frequency.anchor?.source else { continue }
            let steps = read.first { $0.task.key == activity }?.task.content.steps ?? []
            guard !steps.contains(where: { $0.key == key }), let root else { continue }
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
