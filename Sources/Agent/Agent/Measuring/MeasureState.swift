// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// How one measure is doing: `RecorderLoop` makes it from its recorder, for `studyd status`, reports and the ledger.
package struct MeasureState: Sendable, Hashable {
    package let kind: MeasureKind
    /// The device: `LIS3DH`.
    package let device: String
    package let unit: CountedUnit
    /// Since the recorder was made.
    package private(set) var counts: SampleCounts
    package private(set) var lastHour: SampleCounts
    /// Per second, as asked of the device; of positions, fixes, of which no rate is measured.
    package let nominalRate: Double
    /// nil before it is known.
    package let measuredRate: Double?
    /// The file being written, as far as it can be read; nil where there is none.
    package let openFile: OpenFileStatus?
    /// The last thing that went wrong with a file; nil since the last success.
    package let fault: Explanation?
    /// How full its ring was when it was last emptied, 0 to 1.
    package private(set) var ring = 0.0
    /// CLOCK_MONOTONIC from which on samples are due.
    package private(set) var since = MonotonicTime.zero
    /// CLOCK_MONOTONIC at which these figures held.
    package private(set) var until = MonotonicTime.zero
    /// Its device has given nothing since the start: all of its samples are lost.
    package private(set) var isMissing = false

    init(_ recorder: any SampleRecorder, lastHour: SampleCounts, ring: Double = 0) {
        self.lastHour = lastHour
        self.ring = ring
        kind = recorder.source.kind
        device = recorder.source.device
        unit = recorder.countedUnit
        counts = recorder.counts
        nominalRate = recorder.source.nominalRate
        measuredRate = recorder.measuredRate
        openFile = recorder.openFileStatus
        fault = recorder.fault?.explanation
    }

    /// A measurement without its sensor: what it would have given since `start` is lost.
    init(awaited: AwaitedMeasure, for time: Duration) {
        kind = awaited.measure.channel
        device = awaited.chips.map(\.device).joined(separator: " or ")
        unit = .samples
        nominalRate = awaited.measure.rate
        (measuredRate, openFile, fault) = (nil, nil, nil)
        (counts, lastHour) = (SampleCounts(), SampleCounts())
        miss(time)
    }

    /// The same of a span of measuring.
    func measured(since: MonotonicTime, until: MonotonicTime) -> Self {
        var state = self
        (state.since, state.until) = (since, until)
        return state
    }

    /// The same of a device that has given nothing for `time`, since it should have begun.
    /// Rounded as what is due is rounded: a life of milliseconds owes a sample or none, and
    /// has lost as many.
    func missing(for time: Duration) -> Self {
        var state = self
        state.miss(time)
        return state
    }

    private mutating func miss(_ time: Duration) {
        counts.miss(SampleAccount.samples(time.seconds * nominalRate))
        lastHour.miss(SampleAccount.samples(min(time.seconds, 3600) * nominalRate))
        isMissing = true
    }
}

extension MeasureState {
    /// Samples per second that are due; nil for bytes and events, which have no rate.
    var dueRate: Double? {
        guard unit == .samples, nominalRate > 0 else { return nil }
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

    /// What was due at an orderly end and why samples are missing, as the log gets it; nil for what has no rate. No
    /// sample is on its way any more.
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
            ], counted: counted, inFiles: counts.stored + counts.totalLost - counts.unfiled.values.reduce(0, +))
    }
}

extension SampleCounts {
    /// Counts samples that were due and never taken: lost, and listed in no file.
    fileprivate mutating func miss(_ count: Int) {
        due += count
        lost[.notRunning, default: 0] += count
        unfiled[.notRunning, default: 0] += count
    }
}
