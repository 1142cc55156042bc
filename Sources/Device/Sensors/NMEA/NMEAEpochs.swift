// SPDX-License-Identifier: Apache-2.0
import Base

/// Gathers the sentences of one moment into one `Fix`. `NMEADecoder` has one for a live receiver, `NMEATrack`
/// for a recording.
///
/// A sentence with another time of day than the ones before closes the moment; where the receiver
/// knows no time, the return of a kind of sentence does. For a live receiver, call
/// `flush` when the line has been silent for some 0.4 s (`NMEADecoder` does), so that the fix comes
/// at once and a VTG that leads the next moment is not taken for the end of this one. Without such
/// pauses a VTG belongs to the moment before it unless that one has a VTG already; RMC, which has a
/// time, wins over it. Nothing is allocated.
package struct NMEAEpochs: Sendable {
    /// What a clock that can be trusted shows now; nil while there is none. With it, dates are
    /// checked and corrected.
    package var reference: Instant?

    private var moment = NMEAMoment()
    /// A second VTG in this moment: it belongs to the next one.
    private var nextMotion: NMEAMoment.Motion?
    private var lastDate: (date: LocalDate, timeOfDay: Int64)?
    /// The mode that GSA last gave, and how many moments ago.
    private var recent: (mode: Int, age: Int)?
    /// For how many moments that mode is used where a moment has no GSA: fast receivers send it once
    /// a second.
    private static let modeLife = 20

    package init(reference: Instant? = nil) { self.reference = reference }

    /// True while the moment in progress has no sentence.
    package var isEmpty: Bool { moment.kinds == 0 }

    /// Adds a sentence; gives the fix of the moment before, if this one belongs to another.
    package mutating func append(_ sentence: borrowing NMEASentence) -> Fix? {
        let kind = sentence.kind
        switch kind {
        case .rmc, .gga, .gns, .gll, .zda, .gst:
            let time = sentence.timeOfDay(kind == .gll ? 5 : 1)
            let fix = moment.isClosed(by: kind, time) ? flush() : nil
            moment.add(sentence, kind, time)
            return fix
        case .gsa, .gsv: moment.add(sentence, kind)
        case .vtg:
            let motion = NMEAMoment.Motion(sentence)
            if moment.has(.vtg) { nextMotion = motion } else { moment.add(motion) }
        case .gbs, .other: break
        }
        return nil
    }

    /// Forgets the last date: after hours of silence the next midnight may be any.
    package mutating func forgetDay() { lastDate = nil }

    /// Closes the moment: at a pause, and at the end of the data. Nil where no sentence that marks a moment
    /// has come since the last fix.
    package mutating func flush() -> Fix? {
        defer {
            moment = NMEAMoment()
            if let nextMotion { moment.add(nextMotion) }
            nextMotion = nil
        }
        guard moment.isTimed else { return nil }
        remember(moment.mode)
        var fix = moment.fix(recentMode: recent?.mode)
        if let time = resolveTime(mode: fix.mode) { (fix.time, fix.dateCheck) = checked(time) }
        return fix
    }

    private mutating func remember(_ mode: Int?) {
        if let mode {
            recent = (mode, 0)
        } else if let known = recent {
            recent = known.age < Self.modeLife ? (known.mode, known.age + 1) : nil
        }
    }

    /// The moment's UTC, whose date is kept for the next one. The date is the moment's own; or, with a
    /// valid position, that of the moment before, one later after midnight. There is none without a
    /// position: a receiver that was just switched on gives the date at which its own clock begins.
    private mutating func resolveTime(mode: Int) -> Instant? {
        guard mode != 1, let timeOfDay = moment.timeOfDay else { return nil }
        var date = moment.date
        if date == nil, mode > 1, let lastDate {
            let isNextDay = lastDate.timeOfDay - timeOfDay > Self.halfDay
            date = isNextDay ? lastDate.date.adding(days: 1) : lastDate.date
        }
        guard let date else { return nil }
        lastDate = (date, timeOfDay)
        return LocalDateTime(date, .midnight).instant(offset: 0) + .nanoseconds(timeOfDay)
    }

    private static let halfDay: Int64 = 43_200_000_000_000
    /// 1024 weeks, after which the week number in the GPS signal begins again, in seconds.
    static let round: Int64 = 1024 * 7 * 86_400
    /// How far the two clocks may be apart, in seconds.
    private static let tolerance: Int64 = 7 * 86_400

    /// The time, corrected by whole rounds of 1024 weeks where `reference` says so.
    private func checked(_ time: Instant) -> (Instant?, Fix.DateCheck) {
        guard let reference else { return (time, .unchecked) }
        guard let (time, rounds) = Self.corrected(time, by: reference) else { return (nil, .refused) }
        return (time, rounds == 0 ? .confirmed : .corrected(rounds: rounds))
    }

    /// The time moved by as many rounds of 1024 weeks as bring it near `reference`; nil where none does.
    static func corrected(_ time: Instant, by reference: Instant) -> (time: Instant, rounds: Int)? {
        let late = reference.seconds - time.seconds
        let rounds = Int64((Double(late) / Double(round)).rounded())
        guard abs(late - rounds * round) <= tolerance else { return nil }
        return (time + .seconds(rounds * round), Int(rounds))
    }
}
