// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What measuring owes, by its rates and the clock: accounted for at the end of each span of
/// measuring, and for a span that was killed, at the next start. Pure.
struct SpanAccount {
    /// A span of which the account is not written yet, and its end in UTC where that was in another
    /// boot.
    private var past: (life: PastLife, end: Instant?)?
    /// When measuring began again after it.
    private var pastUntil: MonotonicTime?
    /// From which on samples are due.
    private var since: MonotonicTime?
    private let bootID: String

    init(bootID: String) { self.bootID = bootID }

    /// What an earlier start left.
    mutating func take(_ life: PastLife, end: Instant?) { past = (life, end) }

    mutating func begin(at start: MonotonicTime) {
        since = start
        pastUntil = pastUntil ?? start
    }

    /// The account of an earlier span up to its end, and of the time until measuring began again as
    /// soon as that is known: in another boot not before the clock is trusted.
    mutating func settle(_ anchor: ClockAnchor?) -> [SampleAccount] {
        guard let past, let until = pastUntil else { return [] }
        guard let off = off(past, until: until, anchor) else {
            guard past.life.stop == nil else { return [] }
            self.past?.life.stop = past.life.end
            return past.life.accounts(off: .zero)
        }
        (self.past, pastUntil) = (nil, nil)
        return past.life.accounts(off: max(.zero, off))
    }

    private func off(
        _ past: (life: PastLife, end: Instant?), until: MonotonicTime, _ anchor: ClockAnchor?
    ) -> Duration? {
        if past.life.boot == bootID { return until - past.life.end }
        guard let anchor, anchor.isTrusted else { return nil }
        return past.end.map { anchor.instant(at: until) - $0 } ?? .zero
    }

    /// An orderly end: what is due from now on is accounted for when measuring begins again.
    mutating func close(_ states: [MeasureState], rates: [String: Double], at now: MonotonicTime) {
        guard let since, past == nil else { return }
        var life = PastLife(boot: bootID, start: since, stop: now, rates: rates)
        for state in states { if let rate = state.dueRate { life.known[state.kind.rawValue] = rate } }
        (past, pastUntil, self.since) = ((life, nil), nil, nil)
    }
}
