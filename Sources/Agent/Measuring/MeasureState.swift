// SPDX-License-Identifier: Apache-2.0
import Recording
import Samples
import SystemKit
import Times

/// How one measure is doing, for `status` and the ledger.
public struct MeasureState: Sendable, Hashable {
    /// What is measured.
    public let kind: MeasureKind
    /// The device: `LIS3DH`.
    public let device: String
    /// `samples`, `bytes`, `events`.
    public let unit: String
    /// Since the recorder was made.
    public private(set) var counts: SampleCounts
    /// Of the last hour.
    public private(set) var lastHour: SampleCounts
    /// Per second, as asked of the device; for position fixes, for which `measuredRate` is nil.
    public let nominalRate: Double
    /// nil before it can be told.
    public let measuredRate: Double?
    /// The file being written, as far as it can be read; nil where there is none.
    public let openFile: OpenFileStatus?
    /// The last thing that went wrong with a file; nil since the last success.
    public let fault: Explanation?
    /// Files that wait for the first clock anchor of this boot.
    public let waitingFiles: Int
    /// CLOCK_MONOTONIC from which on samples are due.
    public private(set) var since = MonotonicTime.zero
    /// When it stood so.
    public private(set) var until = MonotonicTime.zero
    /// Its device has not come: all of its samples are lost.
    public private(set) var isMissing = false

    init(_ recorder: any SampleRecorder, lastHour: SampleCounts) {
        self.lastHour = lastHour
        kind = recorder.source.kind
        device = recorder.source.device
        unit = recorder.countedUnit
        counts = recorder.counts
        nominalRate = recorder.source.nominalRate
        measuredRate = recorder.measuredRate
        openFile = recorder.openFileStock
        fault = recorder.fault?.explanation
        waitingFiles = recorder.waitingFiles
    }

    /// A measure whose sensor has not come: what it would have given since `start` is lost.
    init(awaited: AwaitedMeasure, for time: Duration) {
        kind = awaited.measure.channel
        device = awaited.chips.map(\.device).joined(separator: " or ")
        unit = "samples"
        nominalRate = awaited.measure.rate
        measuredRate = nil
        openFile = nil
        fault = nil
        waitingFiles = 0
        var lost = SampleCounts()
        lost.miss(Int(time.seconds * nominalRate))
        counts = lost
        var lately = SampleCounts()
        lately.miss(Int(min(time.seconds, 3600) * nominalRate))
        lastHour = lately
        isMissing = true
    }

    /// The same of a span of measuring.
    func measured(since: MonotonicTime, until: MonotonicTime) -> Self {
        var state = self
        (state.since, state.until) = (since, until)
        return state
    }

    /// The same of a device that has given nothing since it should have begun.
    func missing(_ count: Int) -> Self {
        var state = self
        state.counts.miss(count)
        state.lastHour.miss(min(count, Int(3600 * nominalRate)))
        state.isMissing = true
        return state
    }
}

extension SampleCounts {
    fileprivate mutating func miss(_ count: Int) {
        due += count
        lost[.notRunning, default: 0] += count
        unfiled[.notRunning, default: 0] += count
    }
}
