// SPDX-License-Identifier: Apache-2.0
import Base
import FuzzDice
import PlatformSage
import Study

/// A study of SageResearch, damaged: read, and where it is read, walked through with made-up
/// answers and sent.
package struct SageTrial {
    private let files: [StudySource.File]
    private let panel = Panel.reference

    private static let schedules = [
        #""times":["09:00"],"days":["mon"],"every":2,"last_day":3"#,
        #""windows":[{"start":"10:00","end":"12:00","prompts":2,"apart":"30m"}],"anchor":"2026-12-01","last_day":3"#,
        #""times":["08:00"],"expires":"2h","reminders":["30m"]"#, #""first_day":1,"times":["23:59"]"#,
    ]

    /// The files of a study by name, `study.json` for its settings. Without that each trial is of
    /// one task with its parts (`tapping`, `tapping-hand`) and made-up settings.
    package init(_ files: [(name: String, bytes: [UInt8])]) {
        self.files = files.map { .init(name: $0.name, bytes: $0.bytes) }
    }

    /// What became of one trial.
    package enum Outcome: Sendable { case refused, sent }

    /// The same number makes the same trial for ever.
    package func run(_ number: Int) -> Outcome {
        var dice = Dice(seed: UInt64(truncatingIfNeeded: number) &+ 1)
        for _ in 0..<4 { _ = dice.next() }
        var damaged = drawn(&dice)
        for _ in 0...dice.below(3) {
            let index = dice.below(damaged.count)
            let bytes =
                dice.below(4) == 0 ? Self.cut(damaged[index].bytes, &dice) : Self.changed(damaged[index].bytes, &dice)
            damaged[index] = .init(name: damaged[index].name, bytes: bytes)
        }
        guard let study = try? SageReader().decode(StudySource(files: damaged)) else { return .refused }
        for task in study.tasks { send(task, of: study, &dice) }
        return .sent
    }

    private func drawn(_ dice: inout Dice) -> [StudySource.File] {
        guard !files.contains(where: { $0.name == "study.json" }) else { return files }
        let stems = files.map { String($0.name.prefix { $0 != "." }) }
        let tasks = stems.filter { stem in !stems.contains { stem.hasPrefix($0 + "-") } }
        let task = dice.one(tasks)
        let settings = #"{"identifier":"S","task":[{"file":"\#(task)",\#(dice.one(Self.schedules))}]}"#
        return files.filter { $0.name == task + ".json" || $0.name.hasPrefix(task + "-") }
            + [.init(name: "study.json", bytes: Array(settings.utf8))]
    }

    private func send(_ task: StudyTask, of study: StudyProtocol, _ dice: inout Dice) {
        let chance = Chance(seed: [UInt8(dice.below(256))]) { bytes in
            (0..<32).map { UInt8(truncatingIfNeeded: bytes.count &* 31 &+ $0 &+ Int(bytes.last ?? 0)) }
        }
        let now = Instant(seconds: 1_795_000_000)
        let local = Zone.utc.local(now)
        let enrolment = Enrolment(
            id: "e", studyID: study.studyID, participant: ParticipantID("p"), condition: nil, instant: now,
            local: local, seed: [1])
        let context = ScheduleContext(enrolment: enrolment, zone: .utc, chance: chance, facts: StudyFacts())
        _ = task.schedule.occurrences(of: task, in: context).prefix(3)
        let opened = OpenedTask(task, opening: 1, chance: chance)
        var navigator = Navigator(opened, facts: StudyFacts())
        var visits: [RunCourse.Visit] = []
        var move = navigator.start()
        while visits.count < 200, case .step(let step) = move {
            let time = now + .seconds(visits.count)
            visits.append(.init(step: step.key, times: StepTimes(presented: time, answered: time)))
            move = navigator.answer(Self.answer(step.format, &dice))
        }
        let occurrence = Occurrence(
            id: "o", task: task.key, taskIndex: task.index, number: 1, local: local, due: now, expires: nil)
        let submission = Submission(
            task: task.key, occurrence: occurrence, order: opened.order, answers: navigator.answers,
            drawn: opened.presets, submitted: now,
            course: RunCourse(id: "r", began: now, ended: now, visits: visits, recorded: []))
        let wire = WireContext(study: study, enrolment: enrolment, zone: .utc, postURL: nil)
        _ = study.writer.requests(for: .submitted(submission), at: now, in: wire)
        _ = study.writer.answers(submission, in: wire).text
    }

    private static func answer(_ format: AnswerFormat, _ dice: inout Dice) -> AnswerValue? {
        guard dice.below(4) > 0 else { return nil }
        switch format {
        case .yesNo: return .boolean(dice.below(2) == 0)
        case .choice(let choice):
            return .choices(choice.options.filter { _ in dice.below(2) == 0 }.map(\.value))
        case .slider, .number, .reading: return .number(Double(dice.below(2_000)) / 4 - 100)
        case .dateTime: return .dateTime(LocalDateTime(LocalDate(daysSinceEpoch: dice.below(40_000)), .midnight))
        case .active:
            return .performance(
                Performance(
                    TimedStepRecord(
                        uptime: .seconds(1), measured: .seconds(2), pauses: 0, isComplete: true,
                        taps: [.init(at: .zero, side: .left, held: .zero)])))
        default: return .text(dice.one(["", "x", "3", "é\u{0}\""]))
        }
    }

    // MARK: - Damage

    private static let words = [
        "\"type\":", "\"identifier\":", "\"steps\":[", "\"surveyRules\":[{", "\"skipToIdentifier\":\"exit\"",
        "\"nextStepIdentifier\":\"beginning\"", "\"matchingAnswer\":", "null", "true", "-1", "1e999", "\"\"", "[]",
        "{}",
        "\"section\"", "\"transform\"", "\"active\"", "\"tapping\"", "\"handSelection\"", "\"choiceQuestion\"",
        "\"%@\"", "\"duration\":", "99999999999999999999", "\"requiredCohorts\":[\"a\"]",
        "\"codingFormat\":\"yyyyyyyyyyyyyyy''\"",
    ]

    private static func cut(_ bytes: [UInt8], _ dice: inout Dice) -> [UInt8] {
        var bytes = bytes
        let place = dice.below(bytes.count + 1)
        let end = min(bytes.count, place + dice.below(30))
        switch dice.below(3) {
        case 0: bytes.removeSubrange(place..<end)
        case 1: bytes.insert(contentsOf: bytes[place..<end], at: dice.below(bytes.count + 1))
        default: bytes.insert(contentsOf: Array(dice.one(words).utf8), at: place)
        }
        return bytes
    }

    /// One value or key in place of another, so that it stays JSON: what a decoder has to look at.
    private static func changed(_ bytes: [UInt8], _ dice: inout Dice) -> [UInt8] {
        guard let root = try? JSONNode(bytes) else { return bytes }
        var values: [JSONNode] = []
        collect(root, &values)
        let other = values[dice.below(values.count)].content
        var count = dice.below(values.count)
        return Array(JSONText(replacing(root, &count, by: dice.below(2) == 0 ? other : odd(&dice)), depth: 0).text.utf8)
    }

    private static func collect(_ node: JSONNode, _ values: inout [JSONNode]) {
        values.append(node)
        switch node.content {
        case .array(let elements): for element in elements { collect(element, &values) }
        case .object(let members): for member in members { collect(member.value, &values) }
        default: break
        }
    }

    private static func odd(_ dice: inout Dice) -> JSONNode.Content {
        dice.one([
            .null, .boolean(true), .number("-1"), .number("1e999"), .number("0.5"), .string(""), .string("exit"),
            .string("left"), .string("integer"), .string("section"), .array([]), .object([]),
            .array([JSONNode(content: .null, line: 1)]),
        ])
    }

    private static func replacing(_ node: JSONNode, _ count: inout Int, by content: JSONNode.Content) -> JSONNode {
        defer { count -= 1 }
        if count == 0 { return JSONNode(content: content, line: node.line) }
        switch node.content {
        case .array(let elements):
            count -= 1
            let renewed = elements.map { replacing($0, &count, by: content) }
            count += 1
            return JSONNode(content: .array(renewed), line: node.line)
        case .object(let members):
            count -= 1
            let renewed = members.map { JSONNode.Member(key: $0.key, value: replacing($0.value, &count, by: content)) }
            count += 1
            return JSONNode(content: .object(renewed), line: node.line)
        default: return node
        }
    }
}

extension JSONText {
    /// The same as text; what lies deeper than anything that is read is left out.
    fileprivate init(_ node: JSONNode, depth: Int) {
        switch node.content {
        case _ where depth > 100: self = .null
        case .null: self = .null
        case .boolean(let value): self = .boolean(value)
        case .number(let text): self = .spelled(text)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .array(elements.map { JSONText($0, depth: depth + 1) })
        case .object(let members): self = .object(members.map { .init($0.key, JSONText($0.value, depth: depth + 1)) })
        }
    }
}
