// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Testing

@testable import Dataset

struct CoverageDayTests {
    private static func recording(
        _ kind: String, from start: String?, to end: String?, unit: CountedUnit = .samples,
        identifier: String = "x", task: String? = nil, stored: Int = 100, lost: Int = 0, reason: String = "ringFull"
    ) -> StudyRecording {
        var note = RecordingDescription(fileName: "1-\(kind)", contentType: "text/csv", countedUnit: unit)
        (note.kind, note.identifier, note.startDate, note.endDate) = (kind, identifier, start, end)
        (note.samplesStored, note.samplesLost) = (stored, lost == 0 ? [:] : [reason: lost])
        note.task = task.map { .init(task: $0, run: "run-1", step: "s", recorders: ["r"]) }
        return StudyRecording(
            enrolment: "e1", name: "1-\(kind)", source: "", bytes: 0, sha256: "", description: note,
            descriptionSource: nil)
    }

    private static func days(
        _ recordings: [StudyRecording], enrolled: String? = nil, window: ExportWindow = .all
    ) -> [CoverageDay] {
        let participant = Participant(id: "P1", study: "s1", enrolments: [.init(id: "e1", began: StudyTime(enrolled))])
        var record = ParticipantRecord(participant)
        (record.recordings, record.window) = (recordings, window)
        return CoverageDay.days(of: record)
    }

    private static let hour = recording(
        "accelerometer", from: "2026-11-25T10:00:00+01:00", to: "2026-11-25T11:00:00+01:00")
    private static let (before, after) = ("2026-11-25T08:00:00+01:00", "2026-11-25T13:00:00+01:00")

    /// What is recorded for a task, with an answer, of events, or at an unknown time is beside what is recorded all the
    /// time, and makes that no longer.
    @Test(arguments: [
        recording("sound", from: before, to: after, task: "walk"),
        recording("sound", from: before, to: after, identifier: "voice:a1"),
        recording("features", from: before, to: after), recording("buttons", from: before, to: after, unit: .events),
        recording("sound", from: nil, to: after), recording("sound", from: before, to: nil),
    ]) func onlyWhatIsRecordedAllTheTimeCounts(other: StudyRecording) {
        for recordings in [[Self.hour, other], [other, Self.hour]] {
            let days = Self.days(recordings)
            #expect(days.map(\.kind) == ["accelerometer"])
            #expect(days.map(\.wall) == [3600] && days.map(\.stored) == [3600] && days.map(\.lost) == [0])
        }
        #expect(Self.days([other]).isEmpty)
    }

    /// From the enrolment to the last recording; a recording before the enrolment begins it.
    @Test(
        arguments: [
            (nil, 3600), ("2026-11-25T09:00:00+01:00", 7200), ("2026-11-25T10:30:00+01:00", 3600),
        ] as [(String?, Double)]) func theWallTimeBeginsWithTheEnrolment(enrolled: String?, wall: Double)
    {
        let days = Self.days([Self.hour], enrolled: enrolled)
        #expect(days.map(\.wall) == [wall] && days.map(\.notRecorded) == [wall - 3600])
    }

    /// Midnight in Berlin is eleven in UTC. A quarter of what was due is lost.
    @Test func aRecordingOverMidnightIsOfBothDaysOfTheWallClock() {
        let night = Self.recording(
            "accelerometer", from: "2026-11-25T23:30:00+01:00", to: "2026-11-26T01:30:00+01:00", stored: 75, lost: 25)
        let days = Self.days([night])
        #expect(days.map(\.day.description) == ["2026-11-25", "2026-11-26"])
        #expect(days.map(\.wall) == [1800, 5400])
        #expect(days.map(\.stored) == [1350, 4050] && days.map(\.lost) == [450, 1350])
        #expect(days.map(\.notRecorded) == [0, 0])
    }

    /// Lord Howe puts its clock back by half an hour at two o'clock: that day has 24 and a half hours, and the next
    /// begins by the new time. A file ends there.
    @Test func theDayOnWhichTheClockIsPutBackIsLonger() {
        let (before, after) = (
            Self.recording("accelerometer", from: "2026-04-04T22:00:00+11:00", to: "2026-04-05T02:00:00+11:00"),
            Self.recording("accelerometer", from: "2026-04-05T01:30:00+10:30", to: "2026-04-06T01:30:00+10:30")
        )
        for recordings in [[before, after], [after, before]] {
            let days = Self.days(recordings)
            #expect(days.map(\.day.description) == ["2026-04-04", "2026-04-05", "2026-04-06"])
            #expect(days.map(\.wall) == [7200, 88_200, 5400] && days.map(\.stored) == [7200, 88_200, 5400])
        }
    }

    /// From 0:30 in Berlin to 18:30 of the day before in New York.
    @Test func aJourneyBackOverMidnightGoesOnWithTheDayBefore() {
        let days = Self.days([
            Self.recording("accelerometer", from: "2026-11-25T23:00:00+01:00", to: "2026-11-26T00:30:00+01:00"),
            Self.recording("accelerometer", from: "2026-11-25T18:30:00-05:00", to: "2026-11-25T19:30:00-05:00"),
        ])
        #expect(days.map(\.day.description) == ["2026-11-25", "2026-11-26"])
        #expect(days.map(\.wall) == [7200, 1800] && days.map(\.stored) == [7200, 1800])
    }

    /// The recording is here whole, and the enrolment was a day before.
    @Test(
        arguments: [
            ("2026-11-26T00:00:00", nil, ["2026-11-26"], [5400], [5400]),
            (nil, "2026-11-26T00:00:00", ["2026-11-24", "2026-11-25"], [43_200, 86_400], [0, 3600]),
            ("2026-11-25T22:15:00Z", "2026-11-25T22:45:00Z", ["2026-11-25"], [1800], [1800]),
        ] as [(String?, String?, [String], [Double], [Double])])
    func whatWasNotAskedForIsNoTimeWithoutRecordings(
        from: String?, until: String?, days: [String], wall: [Double], stored: [Double]
    ) throws {
        let night = Self.recording("accelerometer", from: "2026-11-25T23:00:00+01:00", to: "2026-11-26T01:30:00+01:00")
        let found = Self.days(
            [night], enrolled: "2026-11-24T12:00:00+01:00", window: try ExportWindow(from: from, until: until))
        #expect(found.map(\.day.description) == days)
        #expect(found.map(\.wall) == wall && found.map(\.stored) == stored)
    }

    /// One participant with recordings from ten to eleven o'clock on the 10th and on the 20th.
    private struct TwoDays: StudyDataset {
        let study = "s1"
        let codebook = Codebook()
        let participants: [Participant]
        let latest = Instant(seconds: 0)
        let issues: [DatasetIssue] = []

        init(enrolled: String?) {
            participants = [
                Participant(id: "P1", study: "s1", enrolments: [.init(id: "e1", began: StudyTime(enrolled))])
            ]
        }

        func items() throws -> [String] { [] }
        func record(of participant: Participant) throws -> ParticipantRecord {
            var record = ParticipantRecord(participant)
            record.recordings = [10, 20].map {
                CoverageDayTests.recording(
                    "accelerometer", from: "2026-11-\($0)T10:00:00+01:00", to: "2026-11-\($0)T11:00:00+01:00")
            }
            return record
        }
    }

    /// A participant who recorded before and after the window took part in it too. A clock that was decades off at the
    /// enrolment does not use up the days.
    @Test(
        arguments: [
            (nil, "2026-11-12T00:00:00", "2026-11-14T00:00:00", ["2026-11-12 0/86400", "2026-11-13 0/86400"]),
            (nil, "2026-11-10T10:30:00", "2026-11-11T06:00:00", ["2026-11-10 1800/48600", "2026-11-11 0/21600"]),
            (nil, "2026-11-19T12:00:00", nil, ["2026-11-19 0/43200", "2026-11-20 3600/39600"]),
            (nil, nil, "2026-11-10T10:00:00", []), (nil, "2026-11-20T11:00:00", nil, []),
            ("2000-01-01T00:00:00Z", "2026-11-20T00:00:00", nil, ["2026-11-20 3600/39600"]),
            ("2000-01-01T00:00:00Z", "2026-11-20T09:30:00Z", nil, ["2026-11-20 1800/1800"]),
        ] as [(String?, String?, String?, [String])])
    func aWindowHasTheTimeBetweenRecordingsOutsideOfIt(
        enrolled: String?, from: String?, until: String?, days: [String]
    ) throws {
        let part = try WindowedDataset(
            TwoDays(enrolled: enrolled), window: ExportWindow(from: from, until: until), participant: nil)
        let found = CoverageDay.days(of: try part.record(of: try #require(part.participants.first)))
        #expect(found.map { "\($0.day) \(Int($0.stored))/\(Int($0.wall))" } == days)
    }

    /// A power cut is at the end of a file: what was in memory then is behind its last sample.
    @Test func aPowerCutTakesNothingOffTheLengthOfARecording() {
        let cut = Self.recording(
            "accelerometer", from: "2026-11-25T10:00:00+01:00", to: "2026-11-25T10:01:00+01:00", stored: 75, lost: 25,
            reason: "powerCut")
        #expect(Self.days([cut]).map(\.stored) == [60] && Self.days([cut]).map(\.lost) == [0])
    }

    /// Each measure has the same wall time, whatever it recorded of it.
    @Test func eachMeasureHasARowForEachDay() {
        let sound = Self.recording("sound", from: "2026-11-26T10:00:00+01:00", to: "2026-11-26T10:30:00+01:00")
        let days = Self.days([sound, Self.hour])
        #expect(
            days.map { "\($0.day) \($0.kind)" } == [
                "2026-11-25 accelerometer", "2026-11-25 sound", "2026-11-26 accelerometer", "2026-11-26 sound",
            ])
        #expect(days.map(\.wall) == [50_400, 50_400, 37_800, 37_800] && days.map(\.stored) == [3600, 0, 0, 1800])
    }
}
