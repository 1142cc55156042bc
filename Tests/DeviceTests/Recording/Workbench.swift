// SPDX-License-Identifier: Apache-2.0
import Glibc
import RecordingSchema
import SystemKit
import Testing

@testable import Base
@testable import Device

/// A folder for one test, removed with it.
final class Workbench {
    let path: String

    init() {
        var template = Array("/tmp/studyd-recording-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? ""
        }
        precondition(!path.isEmpty)
    }

    /// Every description that a test leaves must be as the schema says, unless the test is
    /// about damaged ones.
    var hasDamagedDescriptions = false

    deinit {
        for name in (try? DiskFolder(creating: path).names()) ?? [] {
            if !hasDamagedDescriptions, RecordingName(name) != nil, name.hasSuffix(".json") || name.hasSuffix(".open") {
                let faults = (try? DescriptionSchema.faults(of: bytes(name))) ?? ["\(name) is no JSON"]
                if !faults.isEmpty { Issue.record("\(name): \(faults)") }
            }
            unlink("\(path)/\(name)")
        }
        rmdir(path)
    }

    func folder() throws -> RecordingFolder { try RecordingFolder(path) }
    func names() throws -> [String] { try DiskFolder(creating: path).names().filter { $0 != "next-number" } }
    func write(_ name: String, _ bytes: [UInt8]) throws {
        try File("\(path)/\(name)", .replace).write(bytes, at: 0)
    }
    func bytes(_ name: String) throws -> [UInt8] {
        let file = try File("\(path)/\(name)", .read)
        return try file.read(try file.size(), at: 0)
    }
    func text(_ name: String) throws -> String {
        let file = try File("\(path)/\(name)", .read)
        let bytes =
            name.hasSuffix(".gz") ? try GzipFile.contents(file, limit: 1 << 24) : try file.read(try file.size(), at: 0)
        return String(decoding: bytes, as: UTF8.self)
    }
}

enum Example {
    static let berlin = Zone(fixed: 3600, identifier: "Europe/Berlin", abbreviation: "CET")
    static let origin = RecordingOrigin(study: "s1", participant: "p7", deviceID: 12, bootID: "boot-a", zone: berlin)
    /// 2026-11-21T09:00:00Z at 100 s after booting.
    static let anchor = anchor(at: 100, Instant(seconds: 1_795_251_600))
    static let milliG = Channel(name: "accel_x", unit: .standardGravity, scale: 0.001)
    static let accelerometer = SourceDescription(
        kind: .accelerometer, device: "LIS3DH", location: "i2c-1 0x18", channels: [milliG, milliG, milliG],
        nominalRate: 100, fullScale: 8)
    static let magnetometer = SourceDescription(
        kind: .magnetometer, device: "LIS3MDL", location: "i2c-1 0x1C",
        channels: ["x", "y", "z"].map { Channel(name: "mag_\($0)", unit: .microtesla, scale: 0.0146) }, nominalRate: 10,
        fullScale: 400)
    static let microphone = SourceDescription(
        kind: .sound, device: "mic", location: "hw:CARD=mic",
        channels: [Channel(name: "level", unit: .pcm, scale: 1)], nominalRate: 16_000, fullScale: 0)
    static let receiver = SourceDescription(
        kind: .position, device: "NEO-6M", location: "/dev/serial0",
        channels: [Channel(name: "sentences", unit: .text, scale: 1)], nominalRate: 1, fullScale: 0)

    static func anchor(at seconds: Double, _ instant: Instant) -> ClockAnchor {
        ClockAnchor(
            monotonic: MonotonicTime(seconds: seconds), instant: instant, source: .kernel,
            uncertainty: .milliseconds(5))
    }

    static func vector(_ x: Int32, _ y: Int32, _ z: Int32, at seconds: Double? = nil) -> VectorFrame {
        VectorFrame(
            values: [x, y, z, 0, 0, 0, 0, 0], count: 3, time: MonotonicTime(seconds: seconds ?? 0),
            isStamped: seconds != nil)
    }

    static func vectorRing(_ capacity: Int = 1 << 16) -> FrameRing<VectorFrame> {
        FrameRing(capacity: capacity, repeating: vector(0, 0, 0))
    }

    static func sound(_ samples: [Int16], at seconds: Double) -> SoundFrame {
        var frame = SoundFrame(time: MonotonicTime(seconds: seconds))
        frame.count = UInt16(samples.count)
        for (index, sample) in samples.enumerated() { frame.samples[index] = sample }
        return frame
    }

    static func bytes(_ text: String, at seconds: Double) -> ByteFrame {
        var frame = ByteFrame(time: MonotonicTime(seconds: seconds))
        frame.count = UInt16(text.utf8.count)
        for (index, byte) in text.utf8.enumerated() { frame.bytes[index] = byte }
        return frame
    }

    /// A source's samples, the last of each batch of 25 stamped, from `start` seconds on.
    static func fill(
        _ ring: FrameRing<VectorFrame>, samples: Range<Int>, rate: Double = 100, start: Double = 100,
        change: (Int, inout VectorFrame) -> Void = { _, _ in }
    ) {
        for index in samples {
            var frame = vector(Int32(index % 1000), -500, 1000)
            if index % 25 == 24 {
                frame.time = MonotonicTime(seconds: start + Double(index) / rate)
                frame.isStamped = true
            }
            change(index, &frame)
            ring.push(frame)
        }
    }
}

/// The folder of real recordings beside the project.
enum Fixture {
    static let folder = #filePath.split(separator: "/").dropLast(5).reduce("") { "\($0)/\($1)" } + "/shared/fixtures"
    static let fallback = #filePath.split(separator: "/").dropLast(6).reduce("") { "\($0)/\($1)" } + "/shared/fixtures"

    static func path(_ name: String) -> String? {
        [folder, fallback].map { "\($0)/\(name)" }.first { access($0, R_OK) == 0 }
    }

    static func has(_ name: String) -> Bool {
        if path(name) != nil { return true }
        print("SKIPPED: \(folder)/\(name) is not there")
        return false
    }
}

/// The same numbers every time: SplitMix64.
struct Noise: RandomNumberGenerator {
    var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

func readAll(_ path: String) throws -> (reader: CWAReader, blocks: [CWABlock]) {
    let reader = try CWAReader(File(path, .read))
    var blocks: [CWABlock] = []
    while let block = try reader.nextBlock() { blocks.append(block) }
    return (reader, blocks)
}
