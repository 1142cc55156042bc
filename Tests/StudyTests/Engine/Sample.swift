// SPDX-License-Identifier: Apache-2.0
import Base

@testable import Study

/// Studies and moments for the tests of the engine.
enum Sample {
    /// 2026-03-02 10:00 UTC.
    static let start = instant(2026, 3, 2, 10, 0)

    static func instant(_ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int) -> Instant {
        guard let date = LocalDate(year: year, month: month, day: day), let time = LocalTime(hour: hour, minute: minute)
        else { return .epoch }
        return LocalDateTime(date, time).instant(offset: 0)
    }

    static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var state: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
        var generator = SplitMix64(seed: state)
        return withUnsafeBytes(of: generator.next().bigEndian) { Array($0) }
    }

    static func chance(_ seed: UInt8 = 1) -> Chance { Chance(seed: [seed], digest: digest) }

    static func enrolment(at instant: Instant = start, condition: String? = nil) -> Enrolment {
        Enrolment(
            id: "e", studyID: "S", participant: ParticipantID("P"), condition: condition, instant: instant,
            local: Zone.utc.local(instant), seed: [1])
    }

    static func context(condition: String? = nil) -> ScheduleContext {
        ScheduleContext(
            enrolment: enrolment(condition: condition), zone: .utc, chance: chance(), facts: StudyFacts())
    }

    static func task(
        _ key: String, sections: [Section] = [], shuffled: Bool = false, sticky: Bool = false, label: String = "",
        condition: String? = nil, unlocked: any Condition = Always(), at minutes: [Int] = [], timeout: Int? = nil,
        index: Int = 0
    ) -> StudyTask {
        StudyTask(
            key: key, index: index, wireName: key, name: key, prompt: PromptText(title: "", message: ""),
            condition: condition, schedule: Minutes(minutes: minutes, timeout: timeout, isSticky: sticky),
            unlocked: unlocked, isSticky: sticky, listLabel: label,
            content: Questionnaire(sections: sections, shufflesSections: shuffled, submitText: ""))
    }

    static func study(_ tasks: [StudyTask], conditions: [String] = []) -> StudyProtocol {
        StudyProtocol(
            platform: PlatformName(rawValue: "schema"), studyID: "S", texts: StudyTexts(), conditions: conditions,
            tasks: tasks, postURL: nil, writer: NoReports())
    }

    static func plan(_ tasks: [StudyTask], condition: String? = nil) -> Plan {
        Planner(study: study(tasks), context: context(condition: condition)).plan
    }

    static func after(_ minutes: Int) -> Instant { start + .seconds(minutes * 60) }
}

/// Due a number of minutes after enrolment.
struct Minutes: Schedule {
    let minutes: [Int]
    let timeout: Int?
    let isSticky: Bool

    func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        minutes.enumerated().map { number, minute in
            let due = context.enrolment.instant + .seconds(minute * 60)
            return Occurrence(
                id: "\(task.key)/\(number + 1)", task: task.key, taskIndex: task.index, number: number + 1,
                local: context.zone.local(due), due: due, expires: timeout.map { due + .seconds($0 * 60) },
                isHidden: isSticky && number > 0, isSignalled: minute > 0)
        }
    }
}

/// Of a study that reports nothing to its server.
struct NoReports: ReportWriter {
    func requests(for report: Report, at now: Instant, in context: WireContext) -> [WireRequest] { [] }
    func answers(_ submission: Submission, in context: WireContext) -> JSONText { .object([]) }
}
