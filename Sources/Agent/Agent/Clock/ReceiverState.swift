// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Synchronization

/// How the position receiver is doing, for `status`, questions and faults. `PositionWatch` records it on the recorder
/// thread; any thread reads it.
final class ReceiverState: Sendable {
    private let latest = Mutex<(fix: Fix, verdict: GPSClock.Verdict?, time: MonotonicTime)?>(nil)
    /// A place older than this is not where the participant is.
    private static let freshness = Duration.seconds(30)
    private let tally = Mutex(SentenceTally())
    /// The serial line's counters; nil for a simulated receiver.
    let line: SerialCounters?

    init(line: SerialCounters?) { self.line = line }

    func record(_ fix: Fix, _ verdict: GPSClock.Verdict?, at time: MonotonicTime) {
        latest.withLock { $0 = (fix, verdict, time) }
    }

    /// Degrees of a fix of the last half minute; nil without one.
    func place(at now: MonotonicTime) -> (latitude: Double, longitude: Double)? {
        guard let (fix, _, time) = latest.withLock({ $0 }), now - time <= Self.freshness, fix.mode >= 2,
            let latitude = fix.latitude, let longitude = fix.longitude
        else { return nil }
        return (latitude, longitude)
    }

    func record(sentences: Int, broken: Int, at now: MonotonicTime) {
        tally.withLock { $0.update(totalRight: sentences, totalBroken: broken, at: now) }
    }

    func fault(at now: MonotonicTime) -> Explanation? {
        if let fault = line?.fault(at: now) { return fault.within("position") }
        guard let share = tally.withLock({ $0.brokenShare }) else { return nil }
        return Explanation(
            place: "position", cause: "\(Int((share * 100).rounded())) % of the sentences are corrupt",
            remedy: "check the wires, a common ground, and whether the receiver sends more than its baud rate can carry"
        )
    }

    /// `9600 baud, fix in space, 9 satellites, time believed to 250 ms`.
    var text: String {
        var parts = [line?.baud.map { "\($0) baud" } ?? "speed not found yet"]
        if let (fix, verdict, _) = latest.withLock({ $0 }) {
            parts.append(["nothing received", "no fix", "2D fix", "3D fix"][min(max(fix.mode, 0), 3)])
            if let used = fix.satellites { parts.append("\(used) satellites") }
            if let seen = fix.satellitesInView { parts.append("\(seen) in view") }
            if let signal = fix.strongestSignal { parts.append("strongest \(signal) dB-Hz") }
            let broken = tally.withLock { $0.total.broken }
            if broken > 0 { parts.append("corrupt sentences: \(broken)") }
            if let verdict { parts.append(verdict.description) }
        }
        return parts.joined(separator: ", ")
    }
}

/// Sentences that were right and wrong, over all time and over the last one to two minutes.
struct SentenceTally: Sendable {
    private(set) var total = (right: 0, broken: 0)
    /// Earlier totals, at most two, a minute or more apart: `brokenShare` counts from the first, which is the
    /// beginning or one to two minutes old.
    private var marks: [(time: MonotonicTime, right: Int, broken: Int)] = []

    mutating func update(totalRight right: Int, totalBroken broken: Int, at now: MonotonicTime) {
        total = (right, broken)
        guard let last = marks.last else {
            marks = [(now, right, broken)]
            return
        }
        guard now - last.time >= .seconds(60) else { return }
        marks = [last, (now, right, broken)]
    }

    /// The share that was broken of late; nil where that is too few to tell, or
    /// less than a quarter.
    var brokenShare: Double? {
        guard let since = marks.first else { return nil }
        let (right, broken) = (total.right - since.right, total.broken - since.broken)
        guard broken >= 10, broken * 3 >= right else { return nil }
        return Double(broken) / Double(right + broken)
    }
}
