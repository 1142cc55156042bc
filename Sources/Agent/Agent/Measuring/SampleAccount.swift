// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// How many samples of a measure were due in a span of time, by its rate and the clock, and why some of them are
/// in no file; `MeasureState` and `EarlierSpan` make it, the log gets it as `event`. Files say by themselves what is
/// in them and what is missing inside them. `due` is the sum of what the files say and `lost` where that agrees with
/// rate and clock within their errors; otherwise it is rate times time, and the difference is unexplained.
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

    /// An account of a number of seconds. `lost` is given in seconds, `counted` in samples, both by reason; the
    /// files explain `inFiles` samples, stored or lost.
    init(
        measure: String, rate: Double, seconds: Double, lost: [String: Double], counted: [String: Int] = [:],
        inFiles: Int
    ) {
        self.measure = measure
        self.rate = rate
        self.seconds = max(0, seconds)
        let lost = lost.mapValues { Self.samples(max(0, $0) * rate) }.merging(counted) { $0 + $1 }.filter {
            $0.value > 0
        }
        self.lost = lost
        due = Self.due(max(0, seconds) * rate, parts: inFiles + lost.values.reduce(0, +), rate: rate)
    }

    /// The moments of a first and a last sample, and of a beginning and an end, are together known
    /// to this many seconds.
    private static let readings = 0.02
    /// How far a chip's mean rate over the span may be from its present one, as a fraction: it moves with the
    /// chip's temperature.
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

    /// The measured rate; the nominal one where none was measured, or where they differ by 15 % or more: no chip is
    /// that far off.
    static func rate(_ measured: Double?, nominal: Double) -> Double {
        guard let measured, nominal > 0, abs(measured / nominal - 1) < 0.15 else { return nominal }
        return measured
    }

    static func samples(_ count: Double) -> Int { count.isFinite ? Int(min(max(0, count.rounded()), 1e15)) : 0 }
}
