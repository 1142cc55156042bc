// SPDX-License-Identifier: Apache-2.0
import Device
import Synchronization

/// How large each signal was in each of its last seconds, for `studyd-tools demo`: `SignalTap` writes it on the
/// recorder thread, `SignalStrips` draws it.
package final class SignalTrace: Sendable {
    /// One signal, the latest second last: the mean length of a vector, or the level of sound.
    package struct Seconds: Sendable, Hashable {
        package let unit: Unit
        /// At most 120.
        package fileprivate(set) var values: [Double] = []
    }
    private static let most = 120
    private let traces = Mutex<[MeasureKind: Seconds]>([:])

    package init() {}

    /// Nil for what was not measured yet, and for what has no size: a receiver's
    /// sentences, presses.
    package func seconds(of kind: MeasureKind) -> Seconds? { traces.withLock { $0[kind] } }

    func add(_ values: [Double], _ unit: Unit, of kind: MeasureKind) {
        guard !values.isEmpty else { return }
        traces.withLock { traces in
            var seconds = traces[kind] ?? Seconds(unit: unit)
            seconds.values = (seconds.values + values).suffix(Self.most)
            traces[kind] = seconds
        }
    }
}
