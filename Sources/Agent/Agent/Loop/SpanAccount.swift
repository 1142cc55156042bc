// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Accounts for samples that were due, by rates and clock, while nothing was measured: between two spans of
/// measuring, and for a span that was killed also within it. `MeasuringControl` calls `begin` when measuring
/// begins, `close` at an orderly end, `take` with what an earlier start left, and `settle` at each beginning and
/// whenever the clock becomes trusted. No time may be accounted for twice. Pure.
struct SpanAccount {
    /// A span that is not accounted for yet, or only the time after it.
    private struct Entry {
        var span: EarlierSpan
        /// When measuring began again after it.
        var next: MonotonicTime?
    }

    private var entries: [Entry] = []
    /// When the present span began; nil while nothing is measured.
    private var since: MonotonicTime?
    private var first: MonotonicTime?
    private let bootID: String

    init(bootID: String) { self.bootID = bootID }

    mutating func take(_ span: EarlierSpan) { entries.insert(Entry(span: span, next: first), at: 0) }

    mutating func begin(at start: MonotonicTime) {
        since = start
        first = first ?? start
        for place in entries.indices where entries[place].next == nil { entries[place].next = start }
    }

    /// The account of an earlier span up to its end, and of the time until measuring began again as
    /// soon as that is known: in another boot not before the clock is trusted.
    mutating func settle(_ anchor: ClockAnchor?) -> [SampleAccount] {
        var accounts: [SampleAccount] = []
        for place in entries.indices.reversed() {
            let span = entries[place].span
            guard let next = entries[place].next else { continue }
            if let off = off(span, until: next, anchor) {
                accounts = span.accounts(off: max(.zero, off)) + accounts
                entries.remove(at: place)
            } else if span.stop == nil {
                accounts = span.accounts(off: .zero) + accounts
                // From here on only the time after its end is not accounted for.
                entries[place].span.stop = span.end
            }
        }
        return accounts
    }

    /// How long nothing was measured after it; nil until that is known.
    private func off(_ span: EarlierSpan, until next: MonotonicTime, _ anchor: ClockAnchor?) -> Duration? {
        if span.boot == bootID { return next - span.end }
        guard let anchor, anchor.isTrusted else { return nil }
        return span.endInstant.map { anchor.instant(at: next) - $0 } ?? .zero
    }

    /// An orderly end, of which measures account for their samples: what is due from now on is accounted
    /// for when measuring begins again.
    mutating func close(_ states: [MeasureState], rates: [String: Double], at now: MonotonicTime) {
        guard let since else { return }
        var span = EarlierSpan(boot: bootID, start: since, stop: now, rates: rates)
        for state in states { if let rate = state.dueRate { span.known[state.kind.rawValue] = rate } }
        entries.append(Entry(span: span))
        self.since = nil
    }
}
