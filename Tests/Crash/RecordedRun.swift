// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import SystemKit

/// The run that is recorded as system calls: two boots with four measures each. In the first the
/// clock becomes known in the middle and the power goes at the end; the second begins with the
/// recovery and ends in good order. No time passes in it. An encrypted one is shorter: what is encrypted
/// cannot be compressed.
struct RecordedRun {
    static let zone = Zone(fixed: 3600, identifier: "Europe/Berlin", abbreviation: "CET")
    /// Seconds after booting at which the first boot's clock becomes known.
    static let anchorTime = 124
    static let interval = 10
    static let motionRate = 100
    static let soundRate = 1000
    static let fieldRate = 10

    /// What is encrypted waits for its chunk no longer than this many seconds.
    static let patience = 20
    /// Opens the encrypted run.
    static let lab = AgeIdentity(secret: [UInt8](repeating: 77, count: 32))
    static let encryption = lab.map { RecordingEncryption(to: [$0.recipient], patience: .seconds(patience)) }

    static func anchor(_ boot: String) -> ClockAnchor {
        let (time, second) = boot == "a" ? (anchorTime, 1_795_251_600) : (100, 1_795_252_000)
        return ClockAnchor(
            monotonic: .zero + .seconds(time), instant: Instant(seconds: Int64(second)), source: .kernel,
            uncertainty: .milliseconds(5))
    }

    static func origin(_ boot: String) -> RecordingOrigin {
        RecordingOrigin(study: "crash", participant: "p", deviceID: 1, bootID: boot, zone: zone)
    }

    static func accelerometer() -> SourceDescription {
        SourceDescription(
            kind: .accelerometer, device: "LIS3DH", location: "i2c-1", channels: Channel.acceleration(scale: 0.001),
            nominalRate: Double(motionRate), fullScale: 8)
    }

    /// Runs in `path`, which is made. What is known at every moment is said on standard output:
    /// `given KIND COUNT` before samples are taken from a ring, `sealed NUMBER SHA256` once a
    /// recorder has said so, `removed KIND LOST` for a file that had nothing whole, `boot ID`, `anchor ID`.
    static func run(in path: String, encryption: RecordingEncryption? = nil) throws {
        var boot = try Boot("a", path, encryption)
        for second in 100..<(encryption == nil ? 186 : 150) { boot.pass(second) }
        // Nothing is said to the recorders: the power is gone.
        say("boot b")
        let folder = try RecordingFolder(path, encryption: encryption)
        let recovery = try folder.recover(bootID: "b", zone: zone) { $0 == "a" ? [anchor("a")] : [] }
        for recording in recovery.sealed { say("sealed \(recording.number) \(recording.sha256)") }
        // The agent's log has these.
        for draft in recovery.removedDrafts {
            say("removed \(draft.kind) \(draft.isLossUnknown == true ? "unknown" : "\(draft.totalLost)")")
        }
        boot = try Boot("b", path, encryption)
        let end = encryption == nil ? 145 : 125
        for second in 100..<end { boot.pass(second) }
        boot.stop(end)
        say("end")
    }

    fileprivate static func say(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        _ = write(1, bytes, bytes.count)
    }
}

private struct Boot {
    private let name: String
    private let recorders: [any SampleRecorder]
    /// So small that it is full after a few entries, and begins again.
    private let journal: RecordingJournal
    private let motion = FrameRing(capacity: 4096, repeating: VectorFrame(values: .zero, count: 3))
    private let field = FrameRing(capacity: 4096, repeating: VectorFrame(values: .zero, count: 3))
    private let sound = FrameRing(capacity: 64, repeating: SoundFrame(time: .zero))
    private let serial = FrameRing(capacity: 64, repeating: ByteFrame(time: .zero))
    private var given: [String: Int] = [:]

    init(_ name: String, _ path: String, _ encryption: RecordingEncryption?) throws {
        self.name = name
        let folder = try RecordingFolder(path, encryption: encryption)
        journal = RecordingJournal(in: folder, capacity: 16 << 10)
        func source(_ kind: MeasureKind, _ channels: [Channel], _ rate: Int) -> SourceDescription {
            SourceDescription(
                kind: kind, device: "chip", location: "bus", channels: channels, nominalRate: Double(rate), fullScale: 0
            )
        }
        func recorder(_ format: RecordingFormat, _ input: RecorderInput, _ source: SourceDescription) throws
            -> any SampleRecorder
        {
            let measure = MeasureConfiguration(identifier: "crash", format: format, rotation: .seconds(40))
            return try measure.recorder(
                of: input, source: source, origin: RecordedRun.origin(name), folder: folder)
        }
        let sources = [
            source(.magnetometer, Channel.magneticField(scale: 0.1), RecordedRun.fieldRate),
            source(.sound, [Channel(name: "level", unit: .pcm, scale: 1)], RecordedRun.soundRate),
            source(.position, [Channel(name: "sentences", unit: .text, scale: 1)], 1),
        ]
        recorders = [
            try recorder(.cwa, .vectors(motion), RecordedRun.accelerometer()),
            try recorder(.csv, .vectors(field), sources[0]), try recorder(.flac, .sound(sound), sources[1]),
            try recorder(.nmea, .bytes(serial), sources[2]),
        ]
    }

    /// A second of samples, and what a recorder does every second.
    mutating func pass(_ second: Int) {
        if name == "a", second == RecordedRun.anchorTime { RecordedRun.say("anchor a") }
        fill(second)
        for (kind, count) in given.sorted(by: { $0.key < $1.key }) { RecordedRun.say("given \(kind) \(count)") }
        report(journal.drain(recorders, at: .zero + .seconds(second + 1), anchors: anchors(second)))
    }

    func stop(_ second: Int) {
        for recorder in recorders { report(recorder.stop(at: .zero + .seconds(second), anchors: anchors(second))) }
        journal.remove(after: recorders)
    }

    private func report(_ sealed: [SealedRecording]) {
        for recording in sealed { RecordedRun.say("sealed \(recording.number) \(recording.sha256)") }
    }

    private func anchors(_ second: Int) -> [ClockAnchor] {
        name == "b" || second >= RecordedRun.anchorTime ? [RecordedRun.anchor(name)] : []
    }

    private mutating func fill(_ second: Int) {
        let (motionRate, fieldRate) = (RecordedRun.motionRate, RecordedRun.fieldRate)
        for index in 0..<motionRate {
            motion.push(frame((second - 100) * motionRate + index, second, index, motionRate))
        }
        for index in 0..<fieldRate { field.push(frame((second - 100) * fieldRate + index, second, index, fieldRate)) }
        for piece in 0..<5 {
            var frame = SoundFrame(time: .zero + .milliseconds(second * 1000 + piece * 200))
            frame.count = 200
            for index in 0..<200 { frame.samples[index] = Int16((piece * 200 + index) * 37 % 1000 - 500) }
            sound.push(frame)
        }
        let bytes = Self.sentence(second)
        var frame = ByteFrame(time: .zero + .seconds(second))
        frame.count = UInt16(bytes.count)
        for (index, byte) in bytes.enumerated() { frame.bytes[index] = byte }
        serial.push(frame)
        given["accelerometer", default: 0] += motionRate
        given["magnetometer", default: 0] += fieldRate
        given["sound", default: 0] += RecordedRun.soundRate
        given["position", default: 0] += bytes.count
    }

    /// The last of a second is stamped, as by a watermark.
    private func frame(_ number: Int, _ second: Int, _ index: Int, _ rate: Int) -> VectorFrame {
        let time = MonotonicTime.zero + .milliseconds(second * 1000 + index * 1000 / rate)
        return VectorFrame(
            values: [Int32(number % 2000), -500, 1000, 0, 0, 0, 0, 0], count: 3, time: time,
            isStamped: index == rate - 1)
    }

    private static func sentence(_ second: Int) -> [UInt8] {
        let body =
            "GPRMC,0900\(second % 60 < 10 ? "0" : "")\(second % 60).00,A,5230.0000,N,01324.0000,E,0.1,0.0,211126,,,A"
        let sum = body.utf8.reduce(0, ^)
        return Array("$\(body)*\(sum < 16 ? "0" : "")\(String(sum, radix: 16, uppercase: true))\r\n".utf8)
    }
}
