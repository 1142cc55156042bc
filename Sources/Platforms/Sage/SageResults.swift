// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// The results of one submitted run: the tree of `assessmentResult.json`, and what other files of the archive
/// need (`answers`, `tappings`, `goNoGos`, `recordings`). `SageArchive` writes the files. The forms are those
/// of `ResultData.json` and `AssessmentResultObject.json` of mobile-client-json.
struct SageResults {
    let submission: Submission
    let task: SageTask
    private let zone: Zone
    let runUUID: String
    /// The text of each step, by its key.
    private let texts: [String: String]
    private let began: Instant
    private let ended: Instant
    private let visits: [Visit]
    /// What recorders wrote, and what they could not.
    let recordings: [SageRecording]

    /// One presentation of a step that results name.
    private struct Visit {
        let key: String
        let step: SageStep
        let start: Instant
        let end: Instant
        /// Of several presentations of a step only the last has the answer.
        let isLast: Bool
    }

    /// Identifier of the answer, whatever the step is called (MotorControl-iOS f303936,
    /// `MCTHandSelectionStepObject.swift`, `selectionKey`).
    private static let handSelection = "handSelection"

    static let assessmentSchema =
        "https://sage-bionetworks.github.io/mobile-client-json/schemas/v2/AssessmentResultObject.json"

    /// `unreadable` names files of the archive whose recordings could not be read.
    init(
        _ submission: Submission, of task: StudyTask, _ source: SageTask, runUUID: String, zone: Zone,
        unreadable: Set<String> = []
    ) {
        self.submission = submission
        self.task = source
        self.zone = zone
        self.runUUID = runUUID
        texts = Dictionary(task.content.steps.map { ($0.key, $0.text) }) { first, _ in first }
        let course = submission.course
        began = course?.began ?? submission.submitted
        ended = course?.ended ?? submission.submitted
        // Without a course the answers alone are known, in the order of the file.
        let presented =
            course?.visits
            ?? submission.order.filter { submission.answers[$0] != nil }.map {
                RunCourse.Visit(
                    step: $0,
                    times: submission.times[$0] ?? StepTimes(presented: submission.submitted, answered: nil))
            }
        let end = ended
        visits = presented.enumerated().compactMap { index, visit in
            guard let step = source.steps[visit.step] else { return nil }
            let next = presented.dropFirst(index + 1).first?.times.presented
            return Visit(
                key: visit.step, step: step, start: visit.times.presented, end: visit.times.answered ?? next ?? end,
                isLast: !presented.dropFirst(index + 1).contains { $0.step == visit.step })
        }
        recordings = SageRecording.all(
            submission, of: source, zone: zone, unreadable: unreadable, taken: Self.fixedNames(submission),
            others: visits.count { $0.isLast && $0.step.kind == .tapping })
    }

    var json: JSONText {
        .object([
            "type": .string("assessment"), "identifier": .string(task.identifier),
            "$schema": .string(Self.assessmentSchema), "startDate": date(began), "endDate": date(ended),
            "taskRunUUID": .string(runUUID), "assessmentIdentifier": .string(task.identifier),
            "versionString": .string(task.versionString),
            "schemaIdentifier": task.schemaIdentifier.isEmpty ? nil : JSONText.string(task.schemaIdentifier),
            "stepHistory": .array(history(visits[...], depth: 0)), "asyncResults": .array(asyncResults(of: [])),
            "path": .array(path(visits[...], depth: 0)),
        ])
    }

    /// Every answer by its path, for `answers.json`; lists are one text with commas. Files of SageResearch name the
    /// innermost section alone, where the last of the same name counts (SageResearch ddc72f18,
    /// `RSDDataArchive.swift`); BridgeClientKMM (164b771, `AssessmentArchiveBuilder.swift`) names all.
    var answers: [JSONText.Member] {
        var members: [JSONText.Member] = []
        func add(_ name: String, _ value: JSONText) {
            members.removeAll { $0.key == name }
            members.append(.init(name, value))
        }
        // What was entered for "Other" is part of its question's answer.
        let others = Set(task.steps.values.compactMap { $0.field?.otherStep })
        for key in submission.order where !others.contains(key) {
            guard let step = task.steps[key], let field = step.field, let given = submission.answers[key],
                let value = SageAnswer(given, to: field, of: submission.answers).value, value != .null
            else { continue }
            let sections = task.isAssessmentModel ? step.sections : Array(step.sections.suffix(1))
            let path = sections + (step.part.map { [$0] } ?? []) + [step.identifier]
            let flat: JSONText = if case .array = value { .string(SageAnswer.plain(value)) } else { value }
            let isHands = step.kind == .handSelection
            // A step that has this name itself does not repeat it.
            let name = isHands && step.identifier != Self.handSelection ? path + [Self.handSelection] : path
            add(name.joined(separator: "_"), flat)
            guard isHands else { continue }
            let order = SageAnswer.plain(.array(handOrder(key)))
            add((path + ["handOrder"]).joined(separator: "_"), .string(order))
        }
        return members
    }

    /// Files of the archive that have their names whatever is recorded.
    private static func fixedNames(_ submission: Submission) -> Set<String> {
        let tests = submission.answers.values.count { answer in
            guard case .performance(let performance) = answer else { return false }
            return performance.record is GoNoGoRecord
        }
        return Set(["metadata.json", "info.json", "answers.json", "assessmentResult.json"])
            .union((0..<tests).map(goNoGoName))
    }

    /// Each tapping step's result, with the name of its file: hand and identifier (MotorControl-iOS f303936,
    /// `TappingResultObject.swift` and `MCTTappingResultObject.swift`), with a number where that is taken.
    var tappings: [(name: String, step: SageStep, began: Instant, json: JSONText)] {
        var names = Self.fixedNames(submission).union(recordings.compactMap { $0.file?.name })
        return visits.filter { $0.isLast && $0.step.kind == .tapping }.compactMap { visit in
            guard let json = tapping(visit) else { return nil }
            let hand = SageScope.hand(of: visit.step.sections).map { [$0] } ?? []
            let name = (hand + [visit.step.identifier]).joined(separator: "_").map { $0 == "/" ? "_" : $0 }
            return (SageRecording.unique(String(name), "", &names), visit.step, visit.start, json)
        }
    }

    /// `gonogo.json`, `gonogo_2.json`.
    static func goNoGoName(_ index: Int) -> String { index == 0 ? "gonogo.json" : "gonogo_\(index + 1).json" }

    /// Each go/no-go as `GoNoGoResultObject.json` of BiAffect has it (BiAffectSDK f78dd2f6,
    /// `json/schemas/v1`), with the published members only.
    var goNoGos: [(identifier: String, ended: Instant, json: JSONText)] {
        visits.filter(\.isLast).compactMap { visit in
            guard case .performance(let performance)? = submission.answers[visit.key],
                let record = performance.record as? GoNoGoRecord
            else { return nil }
            let members = JSONText.members([
                "startUptime": record.attempts.first.map { .number($0.reset.seconds) },
                "results": .array(record.attempts.map { .object($0.published) }),
            ])
            let head = head("gonogo", visit.step.identifier, visit.start, visit.end)
            return (visit.step.identifier, visit.end, .object(head + members))
        }
    }

    private func date(_ instant: Instant) -> JSONText { .string(SageDate.text(instant, zone)) }

    // MARK: - Recordings

    /// The recorders' files and errors of a section; no sections = of the task. Several files of one start of a
    /// recorder are a collection (MobilePassiveData-SDK ab5a11d, `SampleRecorder.result`).
    private func asyncResults(of sections: [String], within span: ClosedRange<Instant>? = nil) -> [JSONText] {
        let due = recordings.filter { entry in
            entry.start != nil && entry.sections == sections && (span.map { $0.contains(entry.began) } ?? true)
        }
        return due.compactMap { entry -> JSONText? in
            guard let file = entry.file, let start = entry.start else { return entry.result }
            let files = due.filter { $0.file != nil && $0.start == start }
            guard files.count > 1 else { return entry.result }
            // In the place of the first of them.
            guard files[0].file?.name == file.name else { return nil }
            return .object(
                head("collection", start.action, entry.started, max(entry.started, entry.ended)) + [
                    .init("children", .array(files.map(\.result)))
                ])
        }
    }

    /// The member `asyncResults` of a section; none where nothing was recorded.
    private func asyncMembers(of sections: [String], _ group: ArraySlice<Visit>) -> [JSONText.Member] {
        guard let first = group.first, let last = group.last else { return [] }
        let results = asyncResults(of: sections, within: first.start...max(first.start, last.end))
        return results.isEmpty ? [] : [.init("asyncResults", .array(results))]
    }

    /// Paths of the steps that were presented, with their times.
    var presented: [(at: Instant, path: String)] { visits.map { ($0.start, $0.step.path(in: task.identifier)) } }

    // MARK: - History

    /// The results at one level of the tree; `depth` is the number of sections around it. Of a step or section that
    /// comes twice in a row only the last result is kept.
    private func history(_ visits: ArraySlice<Visit>, depth: Int) -> [JSONText] {
        var results: [(identifier: String, json: JSONText)] = []
        var rest = visits
        while let first = rest.first {
            let group = rest.prefix { isTogether($0, first, depth) }
            rest = rest.dropFirst(group.count)
            let step = first.step
            let identifier = step.sections.count > depth ? step.sections[depth] : step.part ?? step.identifier
            if results.last?.identifier == identifier { results.removeLast() }
            results.append((identifier, result(group, identifier, depth)))
        }
        return results.map(\.json)
    }

    /// Whether two visits belong to one result at this depth: steps of one section, or parts of one form.
    private func isTogether(_ visit: Visit, _ first: Visit, _ depth: Int) -> Bool {
        if first.step.sections.count > depth {
            return visit.step.sections.count > depth && visit.step.sections[depth] == first.step.sections[depth]
        }
        guard visit.step.sections.count == depth else { return false }
        let name = { (step: SageStep) in step.part ?? step.identifier }
        // The step for "something else" belongs to its question.
        return name(visit.step) == name(first.step)
    }

    private func result(_ group: ArraySlice<Visit>, _ identifier: String, _ depth: Int) -> JSONText {
        guard let first = group.first, let last = group.last else { return .null }
        if first.step.sections.count > depth {
            return .object(
                head("section", identifier, first.start, last.end) + [
                    .init("stepHistory", .array(history(group, depth: depth + 1)))
                ] + asyncMembers(of: Array(first.step.sections.prefix(depth + 1)), group) + [
                    .init("path", .array(path(group, depth: depth + 1)))
                ])
        }
        // At its own level: a step, the separate fields of a form, or fields that are members of one answer.
        if first.step.kind == .handSelection { return hands(shown(first, in: group)) }
        // Back from a later step "something else" comes before its question.
        let question = visits.last { $0.step.field?.otherStep == first.key }
        guard question == nil, first.step.part != nil, first.step.field != nil else {
            return single(shown(question ?? first, in: group), until: last.end)
        }
        let latest = group.filter { visit in !group.contains { $0.key == visit.key && $0.start > visit.start } }
        guard first.step.isMember else {
            return .object(
                head("collection", identifier, first.start, last.end) + [
                    .init("children", .array(latest.map { single($0, until: $0.end) }))
                ])
        }
        let members = latest.compactMap { visit -> JSONText.Member? in
            value(of: visit).map { .init(visit.step.identifier, $0) }
        }
        return .object(
            head("answer", identifier, first.start, last.end) + [
                .init("answerType", .object([.init("type", .string("object"))]))
            ] + (members.isEmpty ? [] : [.init("value", .object(members))]) + spoken(latest))
    }

    /// The last presentation of a step in a group; of "something else" alone, as one of its question. A step that is
    /// asked again has its answer the last time that it or its "something else" comes.
    private func shown(_ visit: Visit, in group: ArraySlice<Visit>) -> Visit {
        let latest = group.last { $0.key == visit.key }
        let last = visits.lastIndex { $0.key == visit.key || $0.key == visit.step.field?.otherStep }
        return Visit(
            key: visit.key, step: visit.step, start: (latest ?? group.first ?? visit).start,
            end: (latest ?? visit).end, isLast: last.map { group.indices.contains($0) } ?? false)
    }

    /// `questionData` with the files of spoken answers, which have no value.
    private func spoken(_ visits: [Visit]) -> [JSONText.Member] {
        let keys = visits.filter(\.isLast).flatMap { visit in
            visit.step.field.map { SageAnswer.recordings(of: visit.key, $0, submission.answers).map(\.key) } ?? []
        }
        let marks = recordings.filter { $0.answer.map(keys.contains) ?? false }.map(\.mark)
        return marks.isEmpty ? [] : [.init("questionData", .object([.init("spoken", .array(marks))]))]
    }

    private func value(of visit: Visit) -> JSONText? {
        guard visit.isLast, let field = visit.step.field else { return nil }
        return SageAnswer(submission.answers[visit.key], to: field, of: submission.answers).value
    }

    private func head(_ type: String, _ identifier: String, _ start: Instant, _ end: Instant) -> [JSONText.Member] {
        [
            .init("type", .string(type)), .init("identifier", .string(identifier)), .init("startDate", date(start)),
            .init("endDate", date(end)),
        ]
    }

    private func single(_ visit: Visit, until end: Instant, named name: String? = nil) -> JSONText {
        if visit.step.kind == .tapping, visit.isLast, let tapping = tapping(visit) { return tapping }
        guard let field = visit.step.field else {
            return .object(head("base", visit.step.identifier, visit.start, visit.end))
        }
        let answer = SageAnswer(
            visit.isLast ? submission.answers[visit.key] : nil, to: field, of: submission.answers)
        let members = JSONText.members([
            "answerType": answer.type, "value": answer.value,
            "questionText": .string(visit.step.questionText ?? texts[visit.key] ?? ""),
        ])
        return .object(head("answer", name ?? visit.step.identifier, visit.start, end) + members + spoken([visit]))
    }

    /// The hands in the order of use, by the answer to the step of that key.
    private func handOrder(_ key: String) -> [JSONText] {
        let chosen: String? = if case .choices(let keys)? = submission.answers[key] { keys.first } else { nil }
        let first = task.handOrder.first { submission.drawn.contains($0.value) || submission.answers[$0.value] != nil }?
            .key
        return SageHands.order(chosen, first: first).map { .string($0) }
    }

    private func hands(_ visit: Visit) -> JSONText {
        let type = JSONText.object([.init("type", .string("array")), .init("baseType", .string("string"))])
        return .object(
            head("collection", visit.step.identifier, visit.start, visit.end) + [
                .init(
                    "children",
                    .array([
                        single(visit, until: visit.end, named: Self.handSelection),
                        .object(
                            head("answer", "handOrder", visit.start, visit.end) + [
                                .init("answerType", type), .init("value", .array(handOrder(visit.key))),
                            ]),
                    ]))
            ])
    }

    /// Taps as `TappingResultObject.json` has them; a button has no place on a screen.
    private func tapping(_ visit: Visit) -> JSONText? {
        guard case .performance(let performance)? = submission.answers[visit.key],
            let record = performance.record as? TimedStepRecord
        else { return nil }
        // As `SageAction.isBuiltIn` has it; Android says `Tapping/left`.
        let section = task.isAssessmentModel ? visit.step.sections.last : nil
        let path = section.map { "\(task.identifier)/\($0)" } ?? visit.step.path(in: task.identifier)
        let samples = record.taps.map { tap in
            JSONText.object([
                "stepPath": .string(path), "timestamp": .number(tap.at.seconds),
                "uptime": .number((record.uptime + tap.at).seconds), "buttonIdentifier": .string(tap.side.rawValue),
                "location": .array([]), "duration": .number(tap.held.seconds),
            ])
        }
        return .object(
            head("tapping", visit.step.identifier, visit.start, visit.end)
                + (SageScope.hand(of: visit.step.sections).map { [.init("hand", .string($0))] } ?? [])
                + [.init("tapCount", .integer(Int64(record.tapCount))), .init("samples", .array(samples))])
    }

    // MARK: - Path

    /// Every step and section in the order of presentation. The direction is `backward` where a step comes
    /// before the previous one in the run's order; from one hand's section to the other's, whose order is drawn,
    /// it is always forward (`nodeAfter` of MotorControl-iOS f303936 and -Android, `TwoHandNavigator.kt`).
    private func path(_ visits: ArraySlice<Visit>, depth: Int) -> [JSONText] {
        var markers: [JSONText] = []
        var last: (identifier: String, hand: String?, place: Int)?
        for visit in visits {
            let step = visit.step
            let identifier = step.sections.count > depth ? step.sections[depth] : step.part ?? step.identifier
            let place = submission.order.firstIndex(of: visit.key) ?? 0
            let hand = task.handOrder.isEmpty ? nil : SageScope.hand(of: step.sections)
            defer { last = (identifier, hand, place) }
            if let last, last.identifier == identifier { continue }
            let isBack = last.map { last in
                place < last.place && (last.hand == hand || last.hand == nil || hand == nil)
            }
            markers.append(
                .object([
                    .init("identifier", .string(identifier)),
                    .init("direction", .string(isBack == true ? "backward" : "forward")),
                ]))
        }
        return markers
    }
}
