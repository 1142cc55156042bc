// SPDX-License-Identifier: Apache-2.0
import Base

/// When a queue sends what need not go at once (everything but answers and the end of an enrolment), so that the
/// radio can sleep in between. Each `DeliveryLane` has one: it asks `isOpen` before an item, and calls `open` and
/// `close`. Pure.
///
/// ```
///   open ── nothing left to send ──▶ closed ── the next whole multiple of `every`,   ──▶ open
///                                              a participant's answer goes, a network came
/// ```
/// Multiples are counted on the monotonic clock from its zero, so that all queues open together.
struct DeliveryWindow: Sendable, Hashable {
    /// `every` of the table `[upload]` in `studyd.toml`; nil = always open.
    private let every: Duration?
    /// When it opens by itself. It is open where this is nil or has passed.
    private(set) var opens: MonotonicTime?

    /// Begins open, so that what waited over a restart goes at once. Zero, less or nil = always open.
    init(every: Duration?) { self.every = every.flatMap { $0 > .zero ? $0 : nil } }

    func isOpen(at now: MonotonicTime) -> Bool { opens.map { $0 <= now } ?? true }

    /// The radio is in use, or was just found: what is gathered goes along.
    mutating func open() { opens = nil }

    /// Nothing is left that could be sent now: closed until the next whole multiple of `every`.
    mutating func close(at now: MonotonicTime) {
        guard let every, isOpen(at: now) else { return }
        let (time, step) = (now.nanoseconds, every.nanoseconds)
        opens = MonotonicTime(nanoseconds: (time / step + 1) * step)
    }
}
