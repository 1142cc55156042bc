// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import Patience
import Synchronization
import SystemKit
import Testing

@testable import Agent

/// Tests that wait for threads, programs and real time, one after another: side by side they would
/// hold up the tasks of whatever else is being tested.
@Suite(.serialized) enum SoundSuites {}

/// A folder with sounds in it, deleted with this object.
final class SoundFixture: Sendable {
    static let hasVoice = access("/usr/bin/espeak-ng", X_OK) == 0
    static let hasFLAC = access("/usr/bin/flac", X_OK) == 0
    let path: String

    init() throws {
        var template = Array("/tmp/studyd-sound-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw FileError(path: "/tmp", message: "cannot make a folder") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        AgentFixture.checkDescriptions(below: path)
        Self.remove(path)
    }

    private static func remove(_ folder: String) {
        for name in names(in: folder) where unlink("\(folder)/\(name)") != 0 { remove("\(folder)/\(name)") }
        rmdir(folder)
    }

    static func names(in folder: String) -> [String] {
        guard let listing = opendir(folder) else { return [] }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            names.append(withUnsafePointer(to: &entry.pointee.d_name.0) { String(cString: $0) })
        }
        return names.filter { $0 != "." && $0 != ".." }.sorted()
    }

    func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        try AtomicFile.write(bytes, to: "\(path)/\(name)")
        return "\(path)/\(name)"
    }

    /// A program that makes of every text the sound of `wave`, as espeak-ng is asked to.
    func program(making wave: [UInt8]) throws -> String {
        try script("say", "cat >/dev/null\ncp '\(file("made.wav", wave))' \"$2\"")
    }

    /// Written by another process: of one that this process writes, a child of another test holds the
    /// descriptor for a moment, and it cannot be started ("text file busy").
    func script(_ name: String, _ lines: String) throws -> String {
        let place = "\(path)/\(name)"
        let writing = BoundedProgram(name: "sh", arguments: ["-c", "cat >\"$0\" && chmod 755 \"$0\"", place])
        let status = try writing.run(input: Array("#!/bin/sh\n\(lines)\n".utf8), limit: .seconds(20)).status
        guard status == 0 else { throw FileError(path: place, message: "cannot be written") }
        return place
    }

    /// A player that writes its sound to `out.raw`; it plays as quickly as the samples say, by the
    /// system's clock.
    func playback() throws -> PCMPlayback {
        try PCMPlayback(
            PCMParameters(
                device: "speaker",
                configuration: ALSAConfiguration.filePlugin(name: "speaker", outfile: "\(path)/out.raw"), rate: 8000,
                pacing: .byClock), clock: SystemClock())
    }

    /// What was played; complete once the player is closed.
    func played() throws -> [Int16] { Self.samples(try BoundedFile.read("\(path)/out.raw", limit: 1 << 26)) }

    static func samples(_ bytes: [UInt8]) -> [Int16] {
        stride(from: 0, to: bytes.count / 2 * 2, by: 2).map {
            Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
        }
    }

    static func bytes<T: FixedWidthInteger>(_ values: [T]) -> [UInt8] {
        values.flatMap { withUnsafeBytes(of: $0.littleEndian, Array.init) }
    }

    /// A WAV file as its specification has it.
    static func wave(_ samples: [Int16], rate: UInt32, channels: UInt16 = 1) -> [UInt8] {
        let data = bytes(samples)
        let format =
            bytes([UInt16(1), channels]) + bytes([rate, rate * UInt32(channels) * 2])
            + bytes([channels * 2, UInt16(16)])
        return Array("RIFF".utf8) + bytes([UInt32(36 + data.count)]) + Array("WAVEfmt ".utf8) + bytes([UInt32(16)])
            + format + Array("data".utf8) + bytes([UInt32(data.count)]) + data
    }

    /// No two neighbours are alike, so that a lost, doubled or swapped sample shows.
    static func ramp(_ count: Int, from start: Int = 0) -> [Int16] {
        (0..<count).map { Int16(truncatingIfNeeded: ($0 &+ start) &* 7919 &- 12345) }
    }
}

/// Values that another thread hands over; `wait` blocks its thread until there are enough.
final class Handed<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    private let waker: Waker

    init() throws { waker = try Waker() }

    func add(_ value: Value) {
        values.withLock { $0.append(value) }
        waker.wake()
    }

    /// Fewer after `patience`: a blocked test is not ended by its time limit.
    @discardableResult
    func wait(for count: Int, where isMeant: (Value) -> Bool = { _ in true }) -> [Value] {
        let end = SystemClock().monotonic + patience
        while true {
            let found = values.withLock { $0.filter(isMeant) }
            if found.count >= count || SystemClock().monotonic > end { return found }
            waker.wait(atMost: .seconds(1))
        }
    }
}
