// SPDX-License-Identifier: Apache-2.0
import Agent
import Device
import Study
import Terminal

/// What became of each second of each signal, for `DemoPicture`, which asks once a second.
struct SignalStrips {
    fileprivate struct Strip {
        var seconds: [BoardPicture.Second] = []
        /// Counts since the start, as of the last second.
        var stored = 0
        var lost = 0
        /// Seconds since something was stored or lost: files are written block by block.
        var waiting = 0
    }
    private var strips: [String: Strip] = [:]
    private let trace: SignalTrace

    init(_ trace: SignalTrace) { self.trace = trace }

    /// Seconds that are kept.
    fileprivate static let most = 120
    /// In seconds: nothing is written later than this, so what waits longer was not measured.
    fileprivate static let patience = 20

    /// Called once a second.
    mutating func record(_ measures: [MeasureState]) {
        for measure in measures { record(measure.kind, measure.counts) }
    }

    mutating func record(_ kind: MeasureKind, _ counts: SampleCounts) {
        strips[kind.rawValue, default: Strip()].record(counts)
    }

    /// The latest last.
    func seconds(of kind: MeasureKind) -> [BoardPicture.Second] { strips[kind.rawValue]?.seconds ?? [] }

    private static func words(_ unit: Unit) -> String {
        switch unit {
        case .microtesla: "µT"
        case .degreesPerSecond: "°/s"
        default: unit.rawValue
        }
    }

    func signals(_ measures: [MeasureState]) -> [BoardPicture.Signal] {
        measures.map { measure in
            let rate = measure.measuredRate.map { ", \((($0 * 10).rounded()) / 10)/s" } ?? ""
            let sizes = trace.seconds(of: measure.kind)
            return BoardPicture.Signal(
                name: measure.kind.rawValue, sizes: sizes?.values ?? [], unit: sizes.map { Self.words($0.unit) } ?? "",
                seconds: seconds(of: measure.kind), ring: measure.ring,
                figures: "\(measure.counts.totalLost) lost, \(measure.counts.stored) stored" + rate)
        }
    }
}

extension SignalStrips.Strip {
    fileprivate mutating func record(_ counts: SampleCounts) {
        let (more, gone) = (counts.stored - stored, counts.totalLost - lost)
        (stored, lost) = (counts.stored, counts.totalLost)
        waiting += 1
        seconds.append(stored > 0 ? .waiting : .none)
        if waiting > SignalStrips.patience {
            for index in seconds.indices.suffix(waiting) { seconds[index] = .none }
        }
        if more > 0 || gone > 0 {
            // What was written now was measured in the seconds since the last writing.
            let second = gone <= 0 ? BoardPicture.Second.stored : more > 0 ? .partly : .lost
            for index in seconds.indices.suffix(min(waiting, SignalStrips.patience)) { seconds[index] = second }
            waiting = 0
        }
        seconds = seconds.suffix(SignalStrips.most)
    }
}
