// SPDX-License-Identifier: Apache-2.0
import Base
import Synchronization
import SystemKit

/// How a serial line is doing; `SerialReader` writes it on its thread, any other may read it, for the status
/// through `ReceiverState`.
package final class SerialCounters: Sendable {
    private let stored = Atomic<Int>(0)
    private let failed = Atomic<Int>(0)
    private let speed = Atomic<Int>(0)
    private let wrongSpeeds = Atomic<Int>(0)
    private let isThere = Atomic<Bool>(true)
    /// CLOCK_MONOTONIC of the last bytes, or of the opening, in nanoseconds; `.min` before both.
    private let heard = Atomic<Int64>(.min)
    private let failure = Mutex<Explanation?>(nil)
    private let path: String
    private let speeds: [Int]

    init(path: String, speeds: [Int]) {
        self.path = path
        self.speeds = speeds
    }

    package var bytes: Int { stored.load(ordering: .relaxed) }
    /// How often the line went away or could not be opened.
    package var faults: Int { failed.load(ordering: .relaxed) }
    package var isOpen: Bool { isThere.load(ordering: .relaxed) }
    /// Bits per second at which the receiver was understood; nil while that is being looked for.
    package var baud: Int? {
        let value = speed.load(ordering: .relaxed)
        return value > 0 ? value : nil
    }

    /// Silence after which something must be wrong: receivers speak once a second, with
    /// or without a fix.
    private static let silence = Duration.seconds(15)

    /// What is wrong with the line, where, and what to do; nil while sentences arrive.
    package func fault(at now: MonotonicTime) -> Explanation? {
        if !isOpen {
            return failure.withLock { $0 }
                ?? Explanation(cause: "\(path) is gone", remedy: "waiting for it to come back")
        }
        let last = heard.load(ordering: .relaxed)
        if last != .min, now - MonotonicTime(nanoseconds: last) > Self.silence {
            return Explanation(
                place: path, cause: "no data for \(Self.silence.text)",
                remedy: "check the receiver's power and its TX wire")
        }
        guard baud == nil, wrongSpeeds.load(ordering: .relaxed) >= speeds.count else { return nil }
        let list = speeds.map(String.init).joined(separator: ", ")
        return Explanation(
            place: path, cause: "data, but no sentence with a correct checksum at \(list) baud",
            remedy: "is it an NMEA receiver?")
    }

    func countStored(_ count: Int) { stored.wrappingAdd(count, ordering: .relaxed) }
    func noteData(at now: MonotonicTime) { heard.store(now.nanoseconds, ordering: .relaxed) }
    func fail(_ error: SystemError) { failure.withLock { $0 = error.explanation } }
    func countWrongSpeed() { wrongSpeeds.wrappingAdd(1, ordering: .relaxed) }

    func open(at now: MonotonicTime) {
        isThere.store(true, ordering: .relaxed)
        noteData(at: now)
        failure.withLock { $0 = nil }
    }

    func close() {
        isThere.store(false, ordering: .relaxed)
        speed.store(0, ordering: .relaxed)
        failed.wrappingAdd(1, ordering: .relaxed)
    }

    func settle(at baud: Int) {
        speed.store(baud, ordering: .relaxed)
        wrongSpeeds.store(0, ordering: .relaxed)
    }

    func unsettle() { speed.store(0, ordering: .relaxed) }
}
