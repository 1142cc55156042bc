// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Features
import FoundationEssentials
import Glibc
import SystemKit
import Testing

@testable import Dataset
@testable import Exports

/// Minutes of recordings that the recorders themselves made. What they hold is compared with
/// scikit-digital-health by `DatasetQuestionsTests`.
struct ParticipantEpochsTests {
    private static let hasSKDH = DatasetProgram.has("skdh, numpy")

    @Test(.enabled(if: hasSKDH, "needs skdh"), .timeLimit(.minutes(10)))
    func aMinuteHasTheENMOThatScikitDigitalHealthReads() throws {
        let study = try RecordedStudy(["P017"])
        let record = try study.record(of: study.participants[0])
        let minutes = ParticipantEpochs(of: record)
        #expect(minutes.issues.isEmpty)
        let motion = try #require(record.recordings.first { $0.description?.format == "cwa" })
        let script = """
            import sys, numpy, skdh
            part = skdh.io.ReadCwa().predict(file=sys.argv[1], tz_name=None)
            cut = numpy.maximum(numpy.linalg.norm(part["accel"], axis=1) - 1, 0)
            minute = (part["time"] - 3600) // 60
            for start in sorted(set(minute)): print(int(start) * 60, cut[minute == start].mean(), (minute == start).sum())
            """
        let output = try #require(DatasetProgram.python(script, [motion.source]))
        let lines = output.split(separator: "\n").map { $0.split(separator: " ").compactMap { Double($0) } }
        // Warnings are no rows.
        let known = lines.filter { $0.count == 3 }
        let rows = minutes.rows.filter { $0.measure == "motion" }
        #expect(rows.count == known.count && rows.count == 4)
        for (row, theirs) in zip(rows, known) {
            #expect(row.time.instant.seconds == Int64(theirs[0]) && row.time.offset == 3600)
            #expect(abs((row.enmo ?? 0) - theirs[1]) < 5e-4 + 0.02 * theirs[1], "\(row) \(theirs)")
            #expect(abs(row.coverage - theirs[2] / 6000) < 0.01)
        }
        // Two whole seconds of sound.
        #expect(minutes.rows.compactMap(\.level).count == 1)
    }

    @Test func whatCannotBeReadIsNamedAndTheRestIsThere() throws {
        let study = try RecordedStudy(["P017"])
        let whole = try study.record(of: study.participants[0])
        let minutes = ParticipantEpochs(of: whole).rows.count
        let broken = study.folder("broken.cwa")
        try AtomicFile.write([0x4D, 0x44] + [UInt8](repeating: 0, count: 4000), to: broken)
        study.change { record in
            let known = record.recordings[0]
            record.recordings.insert(
                StudyRecording(
                    enrolment: known.enrolment, name: "000009-motion.cwa", source: broken, bytes: 4002, sha256: "",
                    description: known.description, descriptionSource: nil), at: 0)
            // Without a time of day no minute can be named.
            var unknown = known.description
            unknown?.startDate = nil
            unknown?.endDate = nil
            record.recordings.append(
                StudyRecording(
                    enrolment: "e2", name: known.name, source: known.source, bytes: known.bytes, sha256: known.sha256,
                    description: unknown, descriptionSource: nil))
        }
        let found = ParticipantEpochs(of: try study.record(of: study.participants[0]))
        #expect(found.rows.count == minutes && minutes > 3)
        #expect(found.issues.count == 1 && found.issues[0].text.contains("broken.cwa"))
    }

    /// A device that stops within a second of its start leaves a file that is whole, and has no block.
    @Test func aRecordingWithoutASampleIsNoIssue() throws {
        let study = try RecordedStudy(["P017"])
        let whole = try study.record(of: study.participants[0])
        let known = try #require(whole.recordings.first { $0.description?.format == "cwa" })
        let header = study.folder("header.cwa")
        try AtomicFile.write(Array(BoundedFile.read(known.source, limit: 1 << 24).prefix(1024)), to: header)
        var note = known.description
        note?.samplesStored = 0
        let empty = StudyRecording(
            enrolment: known.enrolment, name: "000009-motion.cwa", source: header, bytes: 1024, sha256: "",
            description: note, descriptionSource: nil)
        study.change { $0.recordings.insert(empty, at: 0) }
        let found = ParticipantEpochs(of: try study.record(of: study.participants[0]))
        #expect(found.issues.isEmpty && found.rows == ParticipantEpochs(of: whole).rows, "\(found.issues)")
    }

    /// Where the samples are not here, the device's own minutes are.
    @Test func whatADeviceComputedFillsTheMinutesWithoutSamples() throws {
        let study = try RecordedStudy(["P017"])
        let path = study.folder("000021-features.csv")
        // Two rows of 30 s in a minute of which samples are here, and two in the hour before.
        let text = """
            # studyd
            #units ,,g,1,1
            time,uptime,enmo,worn,coverage
            2026-11-21T08:00:00Z,10,0.1,1,1.000
            2026-11-21T08:00:30Z,40,0.4,1,0.500
            2026-11-21T09:01:00Z,160,9,0,1.000
            2026-11-21T09:01:30Z,190,9,0,1.000

            """
        try AtomicFile.write(Array(text.utf8), to: path)
        let whole = ParticipantEpochs(of: try study.record(of: study.participants[0])).rows
        study.change { record in
            var note = RecordingDescription(
                fileName: "000021-features.csv", contentType: "text/csv", countedUnit: .epochs)
            (note.number, note.kind, note.format, note.nominalRate) = (21, "features", "features", 1.0 / 30)
            note.identifier = "features"
            (note.startDate, note.endDate) = ("2026-11-21T08:00:00Z", "2026-11-21T09:02:00Z")
            (note.offset, note.bootID) = ("+01:00", "boot-a")
            record.recordings.append(
                StudyRecording(
                    enrolment: record.recordings[0].enrolment, name: "000021-features.csv", source: path, bytes: 1,
                    sha256: "", description: note, descriptionSource: nil))
        }
        let found = ParticipantEpochs(of: try study.record(of: study.participants[0]))
        #expect(found.issues.isEmpty, "\(found.issues)")
        let added = try #require(found.rows.first)
        #expect(added.time.utc == "2026-11-21T08:00:00.000Z" && added.time.local == "2026-11-21T09:00:00.000")
        // 0.1 for the whole of its half, 0.4 for half of the other.
        #expect(abs((added.enmo ?? 0) - 0.2) < 1e-9 && added.isWorn == true && abs(added.coverage - 0.75) < 1e-9)
        #expect(Array(found.rows.dropFirst()) == whole)
        let days = WearDay.days(of: found.rows)
        #expect(days.map(\.worn) == [45] && days[0].day.description == "2026-11-21")
    }

    /// The last fix of each minute, also of one in which a recording ends and the next begins; another enrolment has
    /// its own.
    @Test(arguments: [("e-P017", ["00:40", "01:50", "02:05"]), ("e2", ["00:40", "01:20", "01:50", "02:05"])])
    func aMinuteOfAnEnrolmentHasOnePosition(enrolment: String, times: [String]) throws {
        let study = try RecordedStudy(["P017"])
        for (number, seconds) in [(31, [10, 40, 80]), (32, [110, 125])] {
            let path = study.folder("\(number).nmea")
            let text = seconds.map { NMEAFixture.fix(at: $0) }.joined()
            try AtomicFile.write(Array(text.utf8), to: path)
            var note = RecordingDescription(
                fileName: "\(number)-walk.nmea", contentType: "text/plain", countedUnit: .bytes)
            (note.number, note.kind, note.format, note.identifier) = (number, "gnss", "nmea", "walk")
            (note.deviceNumber, note.offset, note.bootID) = (12, "+01:00", "boot-a")
            (note.startDate, note.endDate) = ("2026-11-21T09:0\(number - 31):00Z", "2026-11-21T09:03:00Z")
            let recording = StudyRecording(
                enrolment: number == 31 ? "e-P017" : enrolment, name: "0000\(number)-walk.nmea", source: path, bytes: 1,
                sha256: "", description: note, descriptionSource: nil)
            study.change { $0.recordings.append(recording) }
        }
        let found = ParticipantEpochs(of: try study.record(of: study.participants[0]))
        #expect(found.positions.map { $0.time.utc } == times.map { "2026-11-21T09:\($0).000Z" }, "\(found.issues)")
        #expect(found.positions.allSatisfy { abs($0.latitude - 52 - 30.1 / 60) < 1e-6 && $0.altitude == 35.5 })
    }

    @Test func aWindowCutsMinutes() throws {
        let study = try RecordedStudy(["P017"])
        let window = try ExportWindow(from: "2026-11-21T10:02:00", until: "2026-11-21T09:03:00Z")
        let dataset = try WindowedDataset(study, window: window, participant: nil)
        let found = ParticipantEpochs(of: try dataset.record(of: study.participants[0]))
        #expect(found.rows.map { $0.time.utc } == ["2026-11-21T09:02:00.000Z"])
    }
}
