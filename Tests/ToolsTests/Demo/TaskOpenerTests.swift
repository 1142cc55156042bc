// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Testing

@testable import studyd_tools

/// Which task a person means who gives a part of its name.
@Suite struct TaskOpenerTests {
    private struct NeverDue: Schedule {
        func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] { [] }
    }

    private struct NoReports: ReportWriter {
        func requests(for report: Report, at now: Instant, in context: WireContext) -> [WireRequest] { [] }
        func answers(_ submission: Submission, in context: WireContext) -> JSONText { .object([]) }
    }

    private static let study = StudyProtocol(
        platform: PlatformName(rawValue: "schema"), studyID: "S", texts: StudyTexts(), conditions: [],
        tasks: [("k1", "Morning"), ("k2", "Evening mood"), ("k3", "Mood"), ("k4", "Evening walk")].map { key, name in
            StudyTask(
                key: key, index: 0, wireName: key, name: name, prompt: PromptText(title: "", message: ""),
                condition: nil, schedule: NeverDue(),
                content: .questionnaire(Questionnaire(sections: [], shufflesSections: false, submitText: "")))
        }, postURL: nil, writer: NoReports())

    @Test(
        arguments: [
            ("k2", "k2"), ("K2", "k2"), ("Morning", "k1"), ("morn", "k1"), ("mood", "k3"), ("g mood", "k2"),
            ("walk", "k4"),
            ("evening", nil), ("k", nil), ("noon", nil),
        ] as [(String, String?)])
    func aTaskIsFoundByWhatNoOtherIsCalled(name: String, key: String?) {
        #expect(TaskOpener.key(of: name, in: Self.study) == key)
    }

    @Test(arguments: [
        ("log.nmea", "boards/a.toml", "boards/log.nmea"), ("../x", "/etc/a.toml", "/etc/../x"),
        ("/log.nmea", "boards/a.toml", "/log.nmea"), ("log.nmea", "a.toml", "log.nmea"),
    ])
    func aPathInABoardFileIsBesideIt(path: String, file: String, found: String) {
        #expect(SimulatedBoard.relative(path, to: file) == found)
    }
}
