// SPDX-License-Identifier: Apache-2.0
import Base

/// At which speed a receiver speaks: one after another is tried until two sentences have a
/// right checksum. Pure. `SerialReader` calls `process` for what it read and `tick` when `due`, and sets the
/// line as the verdict says.
///
/// ```
///             first byte          two right checksums
///  ┌▶ silent ───────────▶ trying ─────────────────────▶ settled ─┐
///  │                        │ 3 s without one,                    │ 5 s and 512 bytes without one:
///  └────── next speed ◀─────┘ 15 s with one only                  │ the receiver was changed or reset
///  └──────────────────────────────────────────────────────────────┘
/// ```
/// A line on which nothing arrives stays as it is: at a wrong speed, too, something arrives.
package struct BaudSearch: Sendable {
    /// The speeds that receivers have from the factory, the commonest first.
    package static let usual = [9600, 38_400, 115_200, 4800]

    package enum Verdict: Sendable, Hashable {
        case stay
        case change(to: Int)
        case found
        /// The present speed is no longer right; set this one and go on.
        case lost(tryNext: Int)
    }

    private enum State: Sendable, Hashable {
        case silent
        case trying(since: MonotonicTime)
        case settled
    }

    private static let trial = Duration.seconds(3)
    private static let longTrial = Duration.seconds(15)
    private static let patience = Duration.seconds(5)
    private static let garbageLimit = 512

    private let speeds: [Int]
    private var place = 0
    private var state = State.silent
    private var sums = ChecksumCounter()
    private var found = 0
    private var lastSentence = MonotonicTime.zero
    /// Bytes since the last right sentence.
    private var garbage = 0
    /// Speeds given up since one was right.
    package private(set) var failures = 0

    /// A search that begins with `first` and goes on with the usual ones.
    package init(first: Int) {
        speeds = [first] + Self.usual.filter { $0 != first }
    }

    /// The speed that the line is to have now, bits per second.
    package var baud: Int { speeds[place] }
    /// True once two sentences were right.
    package var isSettled: Bool { state == .settled }
    /// All speeds, in the order of trial.
    package var all: [Int] { speeds }

    /// When `tick` has something to do; nil while only bytes can change anything.
    package var due: MonotonicTime? {
        guard case .trying(let since) = state else { return nil }
        return since + (found > 0 ? Self.longTrial : Self.trial)
    }

    /// Bytes that were read at the present speed.
    package mutating func process(_ bytes: Span<UInt8>, at now: MonotonicTime) -> Verdict {
        guard !bytes.isEmpty else { return .stay }
        if state == .silent { state = .trying(since: now) }
        let right = sums.count(bytes)
        if right > 0 { (lastSentence, garbage) = (now, 0) } else { garbage += bytes.count }
        if state == .settled {
            guard garbage >= Self.garbageLimit, now - lastSentence >= Self.patience else { return .stay }
            return .lost(tryNext: next())
        }
        found += right
        guard found >= 2 else { return tick(at: now) }
        (state, failures) = (.settled, 0)
        return .found
    }

    /// To be called when `due` has come.
    package mutating func tick(at now: MonotonicTime) -> Verdict {
        guard let due, now >= due else { return .stay }
        failures += 1
        return .change(to: next())
    }

    /// The line was opened again: perhaps it is another receiver, so the speed must prove itself
    /// again.
    package mutating func restart() { begin() }

    private mutating func next() -> Int {
        place = (place + 1) % speeds.count
        begin()
        return baud
    }

    private mutating func begin() {
        (state, found, garbage) = (.silent, 0, 0)
        sums = ChecksumCounter()
    }
}
