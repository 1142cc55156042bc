// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study

/// What a measure owed in a span of time, by its rate and the clock alone, and why samples of it
/// are in no file. Files tell by themselves what is in them and what is missing inside them.
struct SampleAccount: Sendable, Hashable {
    /// The raw value of what is measured.
    private let measure: String
    /// Samples per second.
    let rate: Double
    private let seconds: Double
    let due: Int
    /// By reason, in addition to what the files say.
    let lost: [String: Int]

    /// The agent did not run.
    static let off = "off"
    /// Measuring had begun, and the first sample was not there yet.
    static let starting = "starting"
    /// Taken after the last read of an orderly end.
    static let stopping = "stopping"
    /// In memory when the process was killed or the power went.
    static let powerCut = "powerCut"
    /// Reason: between two files of a span that was killed; nothing came, or the disk took nothing.
    static let betweenFiles = "betweenFiles"

    /// An account of a number of seconds; the files explain `told` samples, stored or lost.
    init(
        measure: String, rate: Double, seconds: Double, lost: [String: Double], counted: [String: Int] = [:],
        told: Int
    ) {
        self.measure = measure
        self.rate = rate
        self.seconds = max(0, seconds)
        let lost = lost.mapValues { Self.samples(max(0, $0) * rate) }.merging(counted) { $0 + $1 }.filter {
            $0.value > 0
        }
        self.lost = lost
        due = Self.due(max(0, seconds) * rate, parts: told + lost.values.reduce(0, +), rate: rate)
    }

    /// The moments of a first and a last sample, and of a beginning and an end, are together known
    /// to this many seconds.
    private static let readings = 0.02
    /// A chip's rate moves with its temperature, and what it is now is not what it has been.
    private static let drift = 3e-4

    /// What rate and time demand, and what became of it: one number, where the two differ by no
    /// more than the errors of the readings behind them. A larger difference is a sample that is
    /// not accounted for.
    static func due(_ demanded: Double, parts: Int, rate: Double) -> Int {
        let resolution = 2 + readings * rate + drift * demanded
        return abs(demanded - Double(parts)) <= resolution ? parts : samples(demanded)
    }

    var event: StudyEvent {
        .samplesCounted(
            measure: measure, rate: rate, seconds: seconds, due: Int64(due), lost: lost.mapValues(Int64.init))
    }

    /// A rate that was measured, where it can be: no chip is further off than a seventh.
    static func rate(_ measured: Double?, nominal: Double) -> Double {
        guard let measured, nominal > 0, abs(measured / nominal - 1) < 0.15 else { return nominal }
        return measured
    }

    static func samples(_ count: Double) -> Int { count.isFinite ? Int(min(max(0, count.rounded()), 1e15)) : 0 }
}

extension MeasureState {
    /// Samples per second that are due; nil for bytes and events, which have no rate.
    var dueRate: Double? {
        guard unit == "samples", nominalRate > 0 else { return nil }
        return SampleAccount.rate(measuredRate, nominal: nominalRate)
    }

    /// What was due since measuring began, by rate and time alone; nil where nothing has a rate.
    var demanded: Double? { dueRate.map { $0 * (until - since).seconds } }

    /// Due before the first sample came, apart from what was counted as lost meanwhile.
    var starting: Int {
        guard let dueRate, !isMissing else { return 0 }
        return max(
            0, SampleAccount.samples(dueRate * ((counts.first ?? until) - since).seconds) - counts.lostBeforeFirst)
    }

    /// Due and not taken yet, on its way through the chip and the rings; not longer than the
    /// slowest of them holds: a recorder looks each five seconds, a chip gives some dozens of
    /// samples at once.
    var underway: Int {
        guard let dueRate, let last = counts.last else { return 0 }
        return SampleAccount.samples(dueRate * min((until - last).seconds, 6 + 40 / dueRate) - 1)
    }

    /// The account of an orderly end, after which nothing is held.
    var account: SampleAccount? {
        guard let dueRate else { return nil }
        let first = isMissing ? since : counts.first ?? until
        let counted = Dictionary(
            counts.unfiled.map { ("\($0.key)", $0.value) }, uniquingKeysWith: { $0 + $1 })
        return SampleAccount(
            measure: kind.rawValue, rate: dueRate, seconds: (until - since).seconds,
            lost: [
                SampleAccount.starting: (first - since).seconds - Double(isMissing ? 0 : counts.lostBeforeFirst)
                    / dueRate,
                SampleAccount.stopping: counts.last.map { (until - $0).seconds - 1 / dueRate } ?? 0,
            ], counted: counted, told: counts.stored + counts.totalLost - counts.unfiled.values.reduce(0, +))
    }
}
