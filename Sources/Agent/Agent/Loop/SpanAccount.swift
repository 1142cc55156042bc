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

    /// The account of an earlier span, as soon as it is known for how long nothing was measured
    /// after it.
    mutating func settle(_ anchor: ClockAnchor?) -> [SampleAccount] {
        guard let past, let until = pastUntil else { return [] }
        var off: Duration?
        if past.life.boot == bootID {
            off = until - past.life.end
        } else if let anchor, anchor.isTrusted {
            off = past.end.map { anchor.instant(at: until) - $0 } ?? .zero
        }
        guard let off else { return [] }
        (self.past, pastUntil) = (nil, nil)
        return past.life.accounts(off: max(.zero, off))
    }

    /// An orderly end: what is due from now on is accounted for when measuring begins again.
    mutating func close(_ states: [MeasureState], rates: [String: Double], at now: MonotonicTime) {
        guard let since, past == nil else { return }
        var life = PastLife(boot: bootID, start: since, stop: now, rates: rates)
        for state in states { if let rate = state.dueRate { life.known[state.kind.rawValue] = rate } }
        (past, pastUntil, self.since) = ((life, nil), nil, nil)
    }
}
