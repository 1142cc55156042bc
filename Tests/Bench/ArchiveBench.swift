// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Device
import Glibc
import Study
import SystemKit

/// The archive of a walk, from the recorder's file to the encrypted bytes that are kept.
enum ArchiveBench {
    private static let rate = 100
    private static let minutes = 10

    /// Ten minutes at 100 Hz with six axes: seconds of the thread, and how much higher the most
    /// memory of the process became. `certificate` is a PEM file.
    static func figures(in folder: String, certificate: String) throws -> [Figure] {
        let path = folder + "/archive"
        let recorded = try RecordingFolder(path)
        let sealed = try walk(recorded)
        let pem = String(decoding: try BoundedFile.read(certificate), as: UTF8.self)
        var request = WireRequest(method: "POST", url: "https://example.org", headers: [], body: [])
        request.recipient = pem
        request.archive = WireArchive(
            written: LocalDateTime(Instant(seconds: 1_795_251_600), offset: 0)
        ) { _ in
            [
                .init("metadata.json", .bytes(Array("{}".utf8))),
                .init(
                    "walk_motion.json",
                    .recorded(
                        RecordedPart(
                            files: [sealed.description.relativePath], form: .motion(["accelerometer", "gyro"]),
                            marks: [.init(uptime: 100, path: "Walk/walk", date: "2026-11-22T10:00:00.000+00:00")],
                            end: 1e9))),
            ]
        }
        let before = try MemoryPeak()
        let start = Cost.now
        let ready = try ArchivePacker.packed(request) { part, output throws(FileError) in
            var files: [RecordedFile] = []
            for name in part.files { files.append(try RecordedFile("\(path)/\(name)")) }
            var log = MotionLog(
                files, sensors: [.accelerometer, .gyro],
                marks: part.marks.map { StepMark(uptime: $0.uptime, path: $0.path, date: $0.date) }, until: part.end,
                to: output)
            try log.write()
        }.request
        let seconds = Double((Cost.now - start).processor) / 1e9
        let memory = try before.grown
        let samples = Double(sealed.description.samplesStored)
        return [
            Figure(name: "archive of a walk, packed and encrypted", value: seconds, unit: "s", limit: 0.5),
            Figure(name: "archive of a walk, memory", value: memory, unit: "MiB", limit: 10),
            Figure(name: "archive of a walk, size", value: Double(ready.body.count) / 1_048_576, unit: "MiB"),
            Figure(name: "sage-json", value: samples * 60 / seconds, unit: "samples/min", least: 5_000_000),
        ]
    }

    private static func walk(_ folder: RecordingFolder) throws -> SealedRecording {
        let source = SourceDescription(
            kind: .accelerometer, device: "bench", location: "none",
            channels: Channel.acceleration(scale: 8.0 / 32_768) + Channel.rotation(scale: 1000.0 / 32_768),
            nominalRate: Double(rate), fullScale: 8)
        let ring = FrameRing(capacity: 1024, repeating: VectorFrame(values: .zero, count: 0))
        let recorder = try MeasureConfiguration(identifier: "walk", format: .cwa).recorder(
            of: .vectors(ring), source: source,
            origin: RecordingOrigin(study: "s", participant: nil, deviceID: 1, bootID: "b", zone: .utc), folder: folder)
        let anchor = ClockAnchor(
            monotonic: .zero, instant: Instant(seconds: 1_795_251_600), source: .simulated, uncertainty: .zero)
        var sealed: [SealedRecording] = []
        var now = MonotonicTime(nanoseconds: 100_000_000_000)
        for index in 0..<(rate * 60 * minutes) {
            var noise = SIMD8<Int32>(repeating: 0)
            for axis in 0..<6 {
                noise[axis] = Int32(truncatingIfNeeded: (index &* 2_654_435_761 &+ axis &* 40_503) >> 7 & 0x3FF) - 512
            }
            ring.push(
                VectorFrame(values: noise &+ SIMD8(0, 0, 4_096, 0, 0, 0, 0, 0), count: 6, time: now, isStamped: true))
            now = now + .milliseconds(10)
            if index % 512 == 511 { sealed += recorder.drain(at: now, anchors: [anchor]) }
        }
        sealed += recorder.drain(at: now, anchors: [anchor]) + recorder.stop(at: now, anchors: [anchor])
        guard let first = sealed.first else { throw BenchFault.nothingDecoded(folder.folder.path) }
        return first
    }
}

/// How much more memory a process has at most than it had at one moment, as the kernel counts it.
struct MemoryPeak {
    private let before: Int

    /// From now on: the kernel's highest mark is set to what is resident (proc(5), clear_refs).
    init() throws {
        if let file = fopen("/proc/self/clear_refs", "w") {
            fputs("5", file)
            fclose(file)
        }
        before = try Self.kibibytes("VmRSS:")
    }

    /// MiB.
    var grown: Double {
        get throws { Double(try Self.kibibytes("VmHWM:") - before) / 1024 }
    }

    private static func kibibytes(_ key: String) throws -> Int {
        let status = String(decoding: try BoundedFile.read("/proc/self/status"), as: UTF8.self)
        let line = status.split(separator: "\n").first { $0.hasPrefix(key) }
        return line?.split { " \t".contains($0) }.dropFirst().first.flatMap { Int($0) } ?? 0
    }
}
