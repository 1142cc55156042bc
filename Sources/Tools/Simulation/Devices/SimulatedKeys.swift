// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import Synchronization
import SystemKit

/// Buttons made of software: `struct input_event` records in a named pipe that the real
/// evdev code opens.
///
/// Any thread may press. An edge is written when it is due, not before, so that a long hold is long
/// for the reader too; something must therefore serve this device (a `SteppedThread`, or a test).
package final class SimulatedKeys: PolledDevice, Sendable {
    /// The named pipe to be opened in the place of `/dev/input/event*`.
    package let path: String
    private let pipe: Descriptor
    private let state = Mutex(State())

    private struct State: Sendable {
        var edges: [Edge] = []
        var refused = 0
    }

    private struct Edge: Sendable {
        let time: MonotonicTime
        let key: UInt16
        let isPressed: Bool
    }

    /// Makes the pipe; it must not exist yet, and goes with this object.
    package init(path: String) throws(SystemError) {
        guard mkfifo(path, 0o600) == 0 else { throw .last("make pipe", path) }
        self.path = path
        // Open in both directions: opening does not wait for the reader, and the reader
        // never sees an end.
        pipe = try Descriptor(opening: path, flags: O_RDWR | O_NONBLOCK)
    }

    deinit { unlink(path) }

    /// Holds the key of that code (`KEY_*`, `BTN_*`) down from `time` on for `duration`.
    ///
    /// A thread that serves the keys and sleeps must be woken after this (`SteppedThread.wake`), and
    /// after `hold` and `release`.
    package func press(key: UInt16, at time: MonotonicTime, for duration: Duration = .milliseconds(120)) {
        schedule(Edge(time: time, key: key, isPressed: true))
        schedule(Edge(time: time + duration, key: key, isPressed: false))
    }

    /// The key goes down at `time` and stays down until `release`.
    package func hold(key: UInt16, at time: MonotonicTime) { schedule(Edge(time: time, key: key, isPressed: true)) }
    package func release(key: UInt16, at time: MonotonicTime) { schedule(Edge(time: time, key: key, isPressed: false)) }

    /// Edges that could not be written because the pipe was not read.
    package var refused: Int { state.withLock { $0.refused } }

    /// When the next edge is due; the end of time when there is none.
    package var due: MonotonicTime { state.withLock { $0.edges.first?.time } ?? MonotonicTime(nanoseconds: .max) }

    package func serve(at now: MonotonicTime) {
        state.withLock { state in
            while let edge = state.edges.first, edge.time <= now {
                state.edges.removeFirst()
                if !write(edge) { state.refused += 1 }
            }
        }
    }

    /// In time order; of two edges at the same time the one that was asked for first comes first.
    private func schedule(_ edge: Edge) {
        state.withLock { state in
            let place = state.edges.firstIndex { $0.time > edge.time } ?? state.edges.endIndex
            state.edges.insert(edge, at: place)
        }
    }

    /// The edge and the report that closes it, in one write: a pipe keeps up to
    /// 4096 bytes together.
    private func write(_ edge: Edge) -> Bool {
        let records = [
            InputRecord(time: edge.time, type: InputRecord.EV_KEY, code: edge.key, value: edge.isPressed ? 1 : 0),
            InputRecord(time: edge.time, type: InputRecord.EV_SYN, code: InputRecord.SYN_REPORT, value: 0),
        ]
        let bytes = records.flatMap(\.bytes)
        return Glibc.write(pipe.rawValue, bytes, bytes.count) == bytes.count
    }
}

/// The kernel's `struct input_event` on 64-bit machines: 24 bytes, in the order of the machine.
///
/// linux/input.h: `struct timeval` (two 64-bit numbers), `__u16 type`, `__u16 code`, `__s32 value`.
/// Where `long` has 32 bits the struct has 16 bytes; studyd runs on 64-bit systems only.
// swift-format-ignore: AlwaysUseLowerCamelCase
struct InputRecord {
    static let EV_SYN: UInt16 = 0
    static let EV_KEY: UInt16 = 1
    static let SYN_REPORT: UInt16 = 0

    let time: MonotonicTime
    let type: UInt16
    let code: UInt16
    let value: Int32

    /// The record as the kernel writes it.
    var bytes: [UInt8] {
        let nanoseconds = time.nanoseconds
        return Self.raw(nanoseconds / 1_000_000_000) + Self.raw(nanoseconds % 1_000_000_000 / 1000) + Self.raw(type)
            + Self.raw(code) + Self.raw(value)
    }

    private static func raw<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number) { Array($0) }
    }
}
