// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SimulatedWorld

/// A GPS receiver that plays a recorded log into a pseudo terminal, one epoch per
/// interval, for ever.
///
/// Served by a bus thread, a `SteppedThread` or a test, as any polled device; used by
/// one thread only.
package final class SimulatedGPS: PolledDevice {
    package private(set) var due: MonotonicTime
    /// The line; its `path` is what the real serial code opens.
    package let line: PseudoTerminal
    package private(set) var sent = 0
    /// Bytes that went into the line so far.
    package private(set) var bytes = 0
    /// Bytes that the line had no room for, because they were not read.
    package private(set) var dropped = 0

    /// Bits per second at which it speaks; to a reader at another speed it is noise. nil =
    /// understood at any.
    package var baud: Int?

    private let log: NMEALog
    private let interval: Duration
    /// The wall time that is put into its sentences; nil = the log's own times stay.
    private let wall: (@Sendable () -> Instant)?
    private var next = 0

    /// Plays `log` into `line` from `start` on, with the time of `wall` in its sentences
    /// where that is given.
    package init(
        _ log: NMEALog, into line: PseudoTerminal, start: MonotonicTime, interval: Duration = .seconds(1),
        wall: (@Sendable () -> Instant)? = nil
    ) {
        self.wall = wall
        self.log = log
        self.line = line
        self.interval = interval
        due = start
    }

    /// Sends the epoch that is due; epochs that were missed are not made up for, as
    /// satellites do not wait.
    package func serve(at now: MonotonicTime) {
        guard now >= due else { return }
        let missed = (now - due).nanoseconds / max(1, interval.nanoseconds)
        due = due + interval * Int(missed + 1)
        guard !log.epochs.isEmpty else { return }
        next += Int(missed)
        let recorded = log.epochs[next % log.epochs.count]
        let epoch = wall.map { SentenceTime.stamp(recorded, $0()) } ?? recorded
        next += 1
        sent += 1
        let count = line.send(received(epoch))
        bytes += count
        dropped += epoch.count - count
    }

    /// What a reader at the line's present speed makes of the bytes: at a wrong one start and stop
    /// bits fall anywhere.
    private func received(_ bytes: [UInt8]) -> [UInt8] {
        guard let baud, let other = line.baud, other != baud else { return bytes }
        let noise = SeededNoise(seed: UInt64(other))
        return bytes.indices.map { UInt8(truncatingIfNeeded: noise.bits($0)) }
    }
}
