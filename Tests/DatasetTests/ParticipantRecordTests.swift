// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Testing

@testable import Dataset

struct ParticipantRecordTests {
    @Test func ofRecordingsWhoseClockIsUnknownTheLastSaysTheZone() {
        var record = ParticipantRecord(Participant(id: "P1", study: "s1"))
        record.recordings = ["Europe/Berlin", "Asia/Kathmandu", ""].map { zone in
            var note = RecordingDescription(fileName: "1-sound", contentType: "text/csv", countedUnit: .samples)
            note.zone = zone
            return StudyRecording(
                enrolment: "e1", name: "1-sound", source: "", bytes: 0, sha256: "", description: note,
                descriptionSource: nil)
        }
        #expect(record.lastZone == "Asia/Kathmandu")
    }

    /// Recordings come in the order of their names; that of another enrolment may be the latest all the same.
    @Test(arguments: [false, true]) func theZoneIsThatOfTheLatestRecording(isReversed: Bool) {
        var record = ParticipantRecord(Participant(id: "P1", study: "s1"))
        #expect(record.lastZone == nil)
        let ends: [(String?, String)] = [
            ("2026-11-26T11:00:00+05:45", "Asia/Kathmandu"), ("2026-11-25T11:00:00+01:00", "Europe/Berlin"),
            (nil, "Europe/Berlin"), ("2026-11-27T11:00:00+01:00", ""),
        ]
        record.recordings = ends.map { end, zone in
            var note = RecordingDescription(fileName: "1-sound", contentType: "text/csv", countedUnit: .samples)
            (note.endDate, note.zone) = (end, zone)
            return StudyRecording(
                enrolment: "e1", name: "1-sound", source: "", bytes: 0, sha256: "", description: note,
                descriptionSource: nil)
        }
        if isReversed { record.recordings.reverse() }
        #expect(record.lastZone == "Asia/Kathmandu")
    }

    /// The lab's clock may be off by two minutes; an answer that came twice counts once.
    @Test(
        arguments: [
            ([(120, nil)], nil), ([(121, nil)], "1 answer was received before being given, by up to 121 s"),
            ([(180, 60)], nil), ([(181, 60)], "1 answer was"), ([(-3_600, nil)], nil),
            ([(86_400, 0.25), (0, 0.25), (300, nil)], "2 answers were received before being given, by up to 86400 s"),
        ] as [([(Int64, Double?)], String?)])
    func anAnswerThatCameBeforeItWasGivenIsAnIssue(answers: [(Int64, Double?)], issue: String?) {
        var record = ParticipantRecord(Participant(id: "P1", study: "s1"))
        let received = Instant(seconds: 1_796_000_000)
        record.submissions = answers.flatMap { ahead, error in
            [nil, "schema-1"].map { first in
                StudySubmission(
                    id: "schema-2", enrolment: nil, task: "ask", taskName: nil,
                    answered: StudyTime(received + .seconds(ahead), offset: 0), received: received, clockError: error,
                    answers: [], repeats: first)
            }
        }
        let found = record.clockIssues.filter { $0.kind == .clockAhead }
        #expect(found.count == (issue == nil ? 0 : 1) && found.allSatisfy { $0.text.hasPrefix(issue ?? "") })
        record.submissions = record.submissions.map { one in
            StudySubmission(
                id: one.id, enrolment: nil, task: one.task, taskName: nil, answered: one.answered, received: nil,
                clockError: nil, answers: [])
        }
        #expect(record.clockIssues.isEmpty, "a device's own folder does not say when they were received")
    }

    @Test(
        arguments: [
            ([(120, nil)], nil), ([(121, nil)], "1 recording was received before being complete, by up to 121 s"),
            ([(180, 60)], nil), ([(181, 60), (300, 0.2)], "2 recordings were received before being complete"),
        ] as [([(Int64, Double?)], String?)])
    func aRecordingThatCameBeforeItsEndIsAnIssue(recordings: [(Int64, Double?)], issue: String?) {
        var record = ParticipantRecord(Participant(id: "P1", study: "s1"))
        let received = Instant(seconds: 1_796_000_000)
        record.recordings = recordings.map { ahead, error in
            var note = RecordingDescription(fileName: "1-sound", contentType: "text/csv", countedUnit: .samples)
            (note.startDate, note.clockError) = ("2026-11-25T11:00:00Z", error)
            note.endDate = (received + .seconds(ahead)).rfc3339Zulu()
            return StudyRecording(
                enrolment: "e1", name: "1-sound", source: "", bytes: 0, sha256: "", description: note,
                descriptionSource: nil, received: received)
        }
        #expect(record.clockIssues.count == (issue == nil ? 0 : 1))
        #expect(record.clockIssues.allSatisfy { $0.kind == .clockAhead && $0.text.hasPrefix(issue ?? "") })
    }
}
