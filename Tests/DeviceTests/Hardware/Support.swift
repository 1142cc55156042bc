// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import Device
import Glibc
import Synchronization
import SystemKit

/// The kernel's own monotonic clock: these tests run on real kernel objects.
struct KernelClock: StudyClock {
    var now: Instant { .epoch + .nanoseconds(monotonic.nanoseconds) }
    var monotonic: MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
    var marks: ClockMarks { ClockMarks() }
    func sleep(until deadline: MonotonicTime) async throws { fatalError("nothing here sleeps") }
}

/// A folder that is deleted with this object.
final class ScratchFolder {
    let path: String

    init() throws {
        var template = Array("/tmp/hardware-tests-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(code: 1, operation: "make a folder") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for name in names { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    private var names: [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(withUnsafePointer(to: &entry.pointee.d_name.0) { String(cString: $0) })
        }
        return names.filter { $0 != "." && $0 != ".." }
    }

    func file(_ name: String, _ bytes: [UInt8] = []) throws -> String {
        let file = try Descriptor(opening: "\(path)/\(name)", flags: O_RDWR | O_CREAT | O_TRUNC)
        try file.write(bytes)
        return "\(path)/\(name)"
    }

    func text(_ name: String) throws -> String { String(decoding: try contents("\(path)/\(name)"), as: UTF8.self) }
}

func contents(_ path: String) throws -> [UInt8] {
    let file = try Descriptor(opening: path, flags: O_RDONLY)
    var bytes: [UInt8] = []
    while let more = try file.read(upTo: 1 << 16), !more.isEmpty { bytes += more }
    return bytes
}

/// Values that another thread hands over; `wait` blocks until there are enough.
final class Collected<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    private let waker: Waker

    init() throws { waker = try Waker() }

    var all: [Value] { values.withLock { $0 } }

    func add(_ value: Value) {
        values.withLock { $0.append(value) }
        waker.wake()
    }

    /// Fewer after a minute: a blocked test is not ended by its time limit.
    func wait(for count: Int) -> [Value] {
        let end = KernelClock().monotonic + .seconds(300)
        while all.count < count, KernelClock().monotonic < end { waker.wait(atMost: .seconds(1)) }
        return all
    }
}

/// What did not come.
struct Missed: Error, CustomStringConvertible {
    let description: String
}

/// Looks again and again until there is something: rings and counters of other threads do not
/// notify. Throws after five minutes, because a blocked test is not ended by its time limit.
func soon<Value>(_ what: String, _ look: () throws -> Value?) throws -> Value {
    let end = KernelClock().monotonic + .seconds(300)
    while KernelClock().monotonic < end {
        if let value = try look() { return value }
        usleep(500)
    }
    throw Missed(description: "not within five minutes: \(what)")
}

/// Looks until it is so.
func soon(_ what: String, _ holds: () throws -> Bool) throws {
    let _: Void = try soon(what) { try holds() ? () : nil }
}

/// A pty: what is written to `master` is received on the serial line `path`.
final class TerminalPair {
    let master: Descriptor
    let path: String
    private let slave: Descriptor

    init() throws {
        var master: CInt = -1
        var slave: CInt = -1
        var name = [CChar](repeating: 0, count: 128)
        guard openpty(&master, &slave, &name, nil, nil) == 0 else {
            throw SystemError(code: 1, operation: "open a pty")
        }
        self.master = Descriptor(owning: master, path: "pty master")
        path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.slave = Descriptor(owning: slave, path: path)
    }
}

/// A sweep in which no two neighbours are alike, so that a lost, doubled or swapped frame shows.
func ramp(_ count: Int) -> [Int16] { (0..<count).map { Int16(truncatingIfNeeded: $0 &* 7919 &- 12345) } }

func bytes<T: FixedWidthInteger>(_ values: [T]) -> [UInt8] {
    values.flatMap { withUnsafeBytes(of: $0.littleEndian, Array.init) }
}

/// Files in folders of folders, deleted with this object.
final class TreeOfFolders {
    let path: String
    private var made: [String] = []

    /// The files with these texts; folders on the way to them are made.
    init(_ files: [(path: String, text: String)] = []) throws {
        var template = Array("/tmp/hardware-tests-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(code: 1, operation: "make a folder") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        for file in files { try add(file.path, file.text) }
    }

    func add(_ name: String, _ text: String) throws {
        var folder = path
        for part in name.split(separator: "/").dropLast() {
            folder += "/\(part)"
            if mkdir(folder, 0o755) == 0 { made.append(folder) }
        }
        try Descriptor(opening: "\(path)/\(name)", flags: O_WRONLY | O_CREAT | O_TRUNC).write(Array("\(text)\n".utf8))
        made.append("\(path)/\(name)")
    }

    deinit {
        for name in made.reversed() where unlink(name) != 0 { rmdir(name) }
        rmdir(path)
    }
}

/// The sine of that many turns.
func sineOfTurns(_ turns: Double) -> Double { Glibc.sin(2 * .pi * turns) }

/// Of a power.
func decibels(_ power: Double) -> Double { 10 * Glibc.log10(power) }
