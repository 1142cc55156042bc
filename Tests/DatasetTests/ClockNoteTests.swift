// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Testing

@testable import Dataset

struct ClockNoteTests {
    private static func recording(_ boot: String, _ uptimes: [Double], enrolment: String = "e1") -> StudyRecording {
        var note = RecordingDescription(fileName: "1.csv", contentType: "text/csv", countedUnit: .samples)
        note.bootID = boot
        note.anchors = uptimes.map {
            .init(uptime: $0, time: "2026-11-25T08:00:00Z", source: "gps", uncertainty: 0.1)
        }
        return StudyRecording(
            enrolment: enrolment, name: "1.csv", source: "1.csv", bytes: 1, sha256: "", description: note,
            descriptionSource: nil)
    }

    /// docs/dataset.md: `clock.csv` has each anchor once. An uptime says nothing without its boot.
    @Test func eachAnchorIsThereOnceByBootAndUptime() {
        let bare = StudyRecording(
            enrolment: "e1", name: "2.csv", source: "2.csv", bytes: 1, sha256: "", description: nil,
            descriptionSource: nil)
        let notes = ClockNote.notes(of: [
            Self.recording("b", [20, 10]), bare, Self.recording("b", [10, 30, 10], enrolment: "e2"),
            Self.recording("a", [20]), Self.recording("a", []),
        ])
        #expect(notes.map { "\($0.boot) \($0.anchor.uptime)" } == ["a 20.0", "b 10.0", "b 20.0", "b 30.0"])
        #expect(notes.map(\.enrolment) == ["e1", "e1", "e1", "e2"], "that of the recording that says it first")
        #expect(ClockNote.notes(of: []).isEmpty && ClockNote.notes(of: [bare]).isEmpty)
    }
}
