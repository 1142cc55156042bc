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
}
