// SPDX-License-Identifier: Apache-2.0
import Exports
import Glibc
import SystemKit

@testable import Base
@testable import Dataset
@testable import Device

/// A study with recordings that the recorders themselves made, in a folder that goes with it.
final class RecordedStudy: StudyDataset {
    let study = "s1"
    private(set) var codebook = Codebook()
    private(set) var participants: [Participant] = []
    let latest = Instant(seconds: 1_795_300_000)
    let issues: [DatasetIssue] = []
    let path: String
    private var records: [ParticipantRecord] = []

    /// 2026-11-21T09:00:00Z, at 100 s after booting.
    static let begin = Instant(seconds: 1_795_251_600)
    private static let anchor = ClockAnchor(
        monotonic: MonotonicTime(seconds: 100), instant: begin, source: .kernel, uncertainty: .milliseconds(5))
    private static let milliG = Channel(name: "accel_x", unit: .standardGravity, scale: 0.001)

    private let encryption: RecordingEncryption?

    init(_ codes: [String] = ["P-017", "P017"], encryption: RecordingEncryption? = nil) throws {
        self.encryption = encryption
        var template = Array("/tmp/studyd-bids-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? ""
        }
        codebook.title = "Sleep and movement"
        codebook.instructions = "Wear the device all day."
        codebook.ethics = "Approved."
        var mood = Codebook.Item(
            task: "evening", taskName: "Evening", item: "mood", type: "multi", words: "How are you?")
        mood.levels = [.init("1", "bad"), .init("2", "good")]
        var foods = Codebook.Item(
            task: "evening", taskName: "Evening", item: "foods", type: "multi", words: "What did you eat?")
        foods.levels = [.init("banana", "A banana"), .init("apple", "An apple")]
        let onset = Codebook.Item(
            task: "evening", taskName: "Evening", item: "onset", type: "text", words: "Since when?")
        codebook.items = [mood, foods, onset]
        for code in codes { try add(code) }
    }

    deinit { FolderRemoval.remove(path) }

    func items() throws -> [String] { ["mood", "foods", "onset", "weight"] }
    func record(of participant: Participant) throws -> ParticipantRecord {
        records.first { $0.participant == participant } ?? ParticipantRecord(participant)
    }
    func folder(_ name: String) -> String { "\(path)/\(name)" }

    /// Gives the records to `change`, so that a test can add what it is about.
    func change(_ body: (inout ParticipantRecord) -> Void) { for place in records.indices { body(&records[place]) } }

    private func add(_ code: String) throws {
        let enrolment = "e-\(code)"
        let began = StudyTime(Self.begin, offset: 3600)
        let participant = Participant(id: code, study: study, enrolments: [.init(id: enrolment, began: began)])
        participants.append(participant)
        var record = ParticipantRecord(participant)
        func at(_ seconds: Int64) -> StudyTime { StudyTime(Self.begin + .seconds(seconds), offset: 3600) }
        record.prompts = [
            StudyPrompt(
                occurrence: "evening-1", enrolment: enrolment, task: "evening", due: at(10), presented: at(10),
                opened: at(12), ended: at(40), outcome: "completed", presses: ["mood": 2], clockError: 0.012),
            StudyPrompt(
                occurrence: "evening-2", enrolment: enrolment, task: "evening", due: at(3600), ended: at(5400),
                outcome: "missed", reason: "device-off"),
        ]
        record.submissions = [
            StudySubmission(
                id: "schema-1", enrolment: enrolment, task: "evening", taskName: "Evening", prompt: "evening-1",
                due: at(10), presented: at(10), opened: at(12), answered: at(40), received: at(41).instant,
                clockError: 0.012,
                answers: [
                    .init(item: "mood", value: "2", presses: 2), .init(item: "foods", value: "[\"banana\",\"apple\"]"),
                    .init(item: "onset", value: "since\tnoon\nor so"), .init(item: "weight", value: ""),
                ])
        ]
        let folder = folder("lab-\(code)")
        for sealed in [
            try motion(folder, code), try field(folder, code), try buttons(folder, code), try sound(folder, code),
        ] {
            record.recordings.append(recording(sealed, enrolment))
        }
        record.missing = [
            MissingItem(
                kind: .recording, enrolment: enrolment, day: LocalDate(year: 2026, month: 11, day: 21),
                name: "000009-sound.flac",
                state: "delivered", why: nil, isHole: true)
        ]
        records.append(record)
    }

    private func recording(_ sealed: SealedRecording, _ enrolment: String) -> StudyRecording {
        StudyRecording(
            enrolment: enrolment, name: sealed.description.relativePath, source: sealed.path,
            bytes: Int64(sealed.bytes),
            sha256: sealed.sha256, description: sealed.description, descriptionSource: nil)
    }

    private func recorder(
        _ identifier: String, _ format: RecordingFormat, _ ring: FrameRing<VectorFrame>, _ source: SourceDescription,
        _ folder: String, _ code: String, boot: String = "boot-a"
    ) throws -> any SampleRecorder {
        let zone = Zone(fixed: 3600, identifier: "Europe/Berlin", abbreviation: "CET")
        let origin = RecordingOrigin(study: study, participant: code, deviceID: 12, bootID: boot, zone: zone)
        return try MeasureConfiguration(identifier: identifier, format: format).recorder(
            of: .vectors(ring), source: source, origin: origin, folder: RecordingFolder(folder, encryption: encryption))
    }

    /// More of the motion that each has, at another rate.
    func addMotion(rate: Double) throws {
        for place in records.indices {
            let code = records[place].participant.id
            records[place].recordings.append(
                recording(try motion(folder("lab-\(code)"), code, rate: rate), "e-\(code)"))
        }
    }

    /// Three minutes at 100 Hz: still, then moving, with 3.6 s lost between; as many samples at another rate.
    private func motion(_ folder: String, _ code: String, rate: Double = 100) throws -> SealedRecording {
        let ring = FrameRing<VectorFrame>(
            capacity: 1 << 16, repeating: VectorFrame(values: SIMD8(), count: 3, time: .zero, isStamped: false))
        let source = SourceDescription(
            kind: .accelerometer, device: "LIS3DH", location: "i2c-1 0x18",
            channels: [Self.milliG, Self.milliG, Self.milliG], nominalRate: rate, fullScale: 8)
        let recorder = try recorder("motion", .cwa, ring, source, folder, code)
        for index in 0..<18_000 {
            let swing = index >= 9000 ? Int32(300 * sin(Double(index) / 20)) : 0
            let gap = index >= 9000 ? 360 / rate : 0
            let isStamped = index % 25 == 24
            var frame = VectorFrame(
                values: [swing, -20, 1000 + swing, 0, 0, 0, 0, 0], count: 3,
                time: isStamped ? MonotonicTime(seconds: 100 + gap + Double(index) / rate) : .zero, isStamped: isStamped
            )
            if index == 9000 { (frame.lostBefore, frame.reason) = (360, LossReason.chipOverrun.rawValue) }
            ring.push(frame)
        }
        return try first(recorder.stop(at: MonotonicTime(seconds: 110 + 18_000 / rate), anchors: [Self.anchor]))
    }

    /// Field strengths an hour and two hours after the first, when the clock of the boot was found to be
    /// off by `drift` seconds an hour; and then by another boot, whose clock started over.
    func addAnotherBoot(drift: Double) throws {
        for place in records.indices {
            let code = records[place].participant.id
            for (boot, uptime, seconds) in [
                ("boot-a", 3700.0, 3600 + drift), ("boot-a", 7300, 7200 + 2 * drift), ("boot-b", 40, 10_000),
            ] {
                let anchor = ClockAnchor(
                    monotonic: MonotonicTime(seconds: uptime), instant: Self.begin + .seconds(seconds), source: .kernel,
                    uncertainty: .milliseconds(5))
                let sealed = try field(folder("lab-\(code)"), code, boot: boot, from: uptime, anchor: anchor)
                records[place].recordings.append(recording(sealed, "e-\(code)"))
            }
        }
    }

    private func field(
        _ folder: String, _ code: String, boot: String = "boot-a", from uptime: Double = 100,
        anchor: ClockAnchor = RecordedStudy.anchor
    ) throws -> SealedRecording {
        let ring = FrameRing<VectorFrame>(
            capacity: 1 << 12, repeating: VectorFrame(values: SIMD8(), count: 3, time: .zero, isStamped: false))
        let source = SourceDescription(
            kind: .magnetometer, device: "LIS3MDL", location: "i2c-1 0x1C",
            channels: ["x", "y", "z"].map { Channel(name: "mag_\($0)", unit: .microtesla, scale: 0.0146) },
            nominalRate: 10, fullScale: 400)
        let recorder = try recorder("field", .csv, ring, source, folder, code, boot: boot)
        for index in 0..<100 {
            ring.push(
                VectorFrame(
                    values: [Int32(index), -500, 1000, 0, 0, 0, 0, 0], count: 3,
                    time: MonotonicTime(seconds: uptime + Double(index) / 10), isStamped: true))
        }
        return try first(recorder.stop(at: MonotonicTime(seconds: uptime + 15), anchors: [anchor]))
    }

    private func buttons(_ folder: String, _ code: String) throws -> SealedRecording {
        let ring = FrameRing<VectorFrame>(
            capacity: 1 << 8, repeating: VectorFrame(values: SIMD8(), count: 3, time: .zero, isStamped: false))
        var source = SourceDescription(
            kind: .buttons, device: "panel", location: "gpiochip0",
            channels: ["button", "edge", "meaning", "repeats"].map { Channel(name: $0, unit: .text, scale: 1) },
            nominalRate: 0, fullScale: 0)
        source.valueNames = [
            ["left", "middle", "right"], ["up", "down"], ["", "previous", "next", "select", "undo"],
        ]
        let recorder = try recorder("buttons", .events, ring, source, folder, code)
        for (time, values) in [
            (112, [1, 1, 0, 0]), (112.13, [1, 0, 3, 0]), (140.25, [1, 1, 0, 0]), (141.65, [1, 0, 4, 0]),
        ] {
            var frame = SIMD8<Int32>()
            for (place, value) in values.enumerated() { frame[place] = Int32(value) }
            ring.push(VectorFrame(values: frame, count: 4, time: MonotonicTime(seconds: time), isStamped: true))
        }
        return try first(recorder.stop(at: MonotonicTime(seconds: 160), anchors: [Self.anchor]))
    }

    private func sound(_ folder: String, _ code: String) throws -> SealedRecording {
        let ring = FrameRing<SoundFrame>(capacity: 1 << 12, repeating: SoundFrame(time: .zero))
        let source = SourceDescription(
            kind: .sound, device: "mic", location: "hw:CARD=mic",
            channels: [Channel(name: "level", unit: .pcm, scale: 1)], nominalRate: 16_000, fullScale: 0)
        let zone = Zone(fixed: 3600, identifier: "Europe/Berlin", abbreviation: "CET")
        let origin = RecordingOrigin(study: study, participant: code, deviceID: 12, bootID: "boot-a", zone: zone)
        let recorder = try MeasureConfiguration(identifier: "levels", format: .levels, calibration: 100).recorder(
            of: .sound(ring), source: source, origin: origin, folder: RecordingFolder(folder, encryption: encryption))
        for start in stride(from: 0, to: 48_000, by: 256) {
            var frame = SoundFrame(time: MonotonicTime(seconds: 100 + Double(start) / 16_000))
            frame.count = 256
            for place in 0..<256 { frame.samples[place] = Int16(8000 * sin(Double(start + place) / 9)) }
            ring.push(frame)
        }
        return try first(recorder.stop(at: MonotonicTime(seconds: 200), anchors: [Self.anchor]))
    }

    private struct Empty: Error {}
    private func first(_ sealed: [SealedRecording]) throws -> SealedRecording {
        guard let first = sealed.first else { throw Empty() }
        return first
    }
}
