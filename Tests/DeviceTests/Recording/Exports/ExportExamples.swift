// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import Base
@testable import Device

/// Recordings of ours to export, made by the recorders themselves.
extension Workbench {
    /// A minute at 100 Hz with 3.6 s lost in the middle; 58 CWA blocks less what the gap tore.
    func motion(gap: Bool = true, gyroscope: Bool = false, anchored: Bool = true) throws -> SealedRecording {
        let ring = Example.vectorRing()
        let rate = Channel(name: "gyro_x", unit: .degreesPerSecond, scale: 0.0175)
        let channels = [Example.milliG, Example.milliG, Example.milliG] + (gyroscope ? [rate, rate, rate] : [])
        let source = SourceDescription(
            kind: .accelerometer, device: "LIS3DH", location: "i2c-1 0x18", channels: channels, nominalRate: 100,
            fullScale: 8)
        let recorder = try MeasureConfiguration(identifier: "motion", format: .cwa).recorder(
            of: .vectors(ring), source: source, origin: Example.origin, folder: folder())
        Example.fill(ring, samples: 0..<6000) { index, frame in
            frame.values = [1000, -2000, Int32(index % 100) * 10, 10_000, -20_000, 28_000, 0, 0]
            frame.count = gyroscope ? 6 : 3
            if gap, index >= 3000 { frame.time = frame.time + .milliseconds(3600) }
            if gap, index == 3000 { (frame.lostBefore, frame.reason) = (360, LossReason.chipOverrun.rawValue) }
        }
        let anchors = anchored ? [Example.anchor] : []
        let sealed = recorder.stop(at: MonotonicTime(seconds: 170), anchors: anchors)
        if let first = sealed.first { return first }
        // A boot that ended without a clock is sealed at the next one.
        let recovery = try folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }
        return try #require(recovery.sealed.first)
    }

    /// Ten seconds at 10 Hz, gzipped, with a gap.
    func magneticField() throws -> SealedRecording {
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "field", format: .csv).recorder(
            of: .vectors(ring), source: Example.magnetometer, origin: Example.origin, folder: folder())
        Example.fill(ring, samples: 0..<100, rate: 10) { index, frame in
            if index == 50 { (frame.lostBefore, frame.reason) = (20, LossReason.deviceError.rawValue) }
            if index >= 50 { frame.time = frame.time + .seconds(2) }
        }
        return try #require(recorder.stop(at: MonotonicTime(seconds: 115), anchors: [Example.anchor]).first)
    }

    /// Presses as the panel's recorder writes them: one of 0.13 s two seconds after the start, one
    /// of 1.4 s, one that is never let go.
    func buttons() throws -> SealedRecording {
        var source = SourceDescription(
            kind: .buttons, device: "panel", location: "gpiochip0",
            channels: ["button", "edge", "meaning", "repeats"].map { Channel(name: $0, unit: .text, scale: 1) },
            nominalRate: 0, fullScale: 0)
        source.valueNames = [
            ["left", "middle", "right"], ["up", "down"], ["", "previous", "next", "select", "undo"],
        ]
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "buttons", format: .events).recorder(
            of: .vectors(ring), source: source, origin: Example.origin, folder: folder())
        let edges: [(time: Double, values: [Int32])] = [
            (102, [1, 1, 0, 0]), (102.13, [1, 0, 3, 0]), (140.25, [1, 1, 0, 0]), (141.65, [1, 0, 4, 0]),
            (150, [0, 1, 1, 0]),
        ]
        for edge in edges {
            var values = SIMD8<Int32>()
            for (place, value) in edge.values.enumerated() { values[place] = value }
            ring.push(VectorFrame(values: values, count: 4, time: MonotonicTime(seconds: edge.time), isStamped: true))
        }
        return try #require(recorder.stop(at: MonotonicTime(seconds: 160), anchors: [Example.anchor]).first)
    }

    /// Sound of these samples at 16 kHz, as FLAC or levels.
    func sound(_ samples: [Int16], as format: RecordingFormat, at start: Double = 100) throws -> SealedRecording {
        let ring = FrameRing<SoundFrame>(capacity: 4096, repeating: SoundFrame(time: .zero))
        let recorder = try MeasureConfiguration(identifier: "memo", format: format, calibration: 100).recorder(
            of: .sound(ring), source: Example.microphone, origin: Example.origin, folder: folder())
        for place in stride(from: 0, to: samples.count, by: 256) {
            let part = Array(samples[place..<min(place + 256, samples.count)])
            ring.push(Example.sound(part, at: start + Double(place) / 16_000))
        }
        return try #require(recorder.stop(at: MonotonicTime(seconds: start + 100), anchors: [Example.anchor]).first)
    }

    func exported(_ name: String, _ body: (ExportOutput) throws -> Void) throws -> [UInt8] {
        let output = try ExportOutput(path: "\(path)/\(name)")
        try body(output)
        try output.finish()
        return try bytes(name)
    }

    func lines(_ name: String, _ body: (ExportOutput) throws -> Void) throws -> [Substring] {
        String(decoding: try exported(name, body), as: UTF8.self).split(separator: "\n")
    }
}

/// A tone that is not quite regular.
func tone(_ count: Int) -> [Int16] {
    var noise = Noise(seed: 3)
    return (0..<count).map { Int16(8000 * sin(Double($0) / 9)) + Int16.random(in: -50...50, using: &noise) }
}

/// Readers that others wrote.
enum Python {
    /// `STUDYD_PYTHON`, or the variable given before it, names a Python with the packages; else
    /// `python3` is tried. Nil when the script fails.
    static func run(_ script: String, _ arguments: [String] = [], by variable: String? = nil) -> [Substring]? {
        let named = [variable, "STUDYD_PYTHON"].compactMap(\.self).compactMap { getenv($0) }
        let python = named.first.map { String(cString: $0) } ?? "python3"
        let quoted = ([script] + arguments).map { "'\($0)'" }.joined(separator: " ")
        guard let pipe = popen("'\(python)' -c \(quoted) 2>/dev/null", "r") else { return nil }
        var text: [UInt8] = []
        while case let byte = fgetc(pipe), byte != EOF { text.append(UInt8(truncatingIfNeeded: byte)) }
        guard pclose(pipe) == 0 else { return nil }
        return String(decoding: text, as: UTF8.self).split(separator: "\n")
    }

    static func has(_ module: String, by variable: String? = nil) -> Bool {
        if run("import \(module)", by: variable) != nil { return true }
        print("SKIPPED: \(module) is not installed; \(variable ?? "STUDYD_PYTHON") may name a Python that has it")
        return false
    }
}
