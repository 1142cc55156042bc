// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// How records are written for one gateway: in binary and gzip. Each 415 that it answers makes `RadarDelivery` fall back,
/// to JSON, then to plain bodies, for as long as the agent runs.
final class RadarEncoding: Sendable {
    private struct State {
        var isBinary: Bool
        var isCompressed = true
    }

    private let state: Mutex<State>

    init(isBinary: Bool) { state = Mutex(State(isBinary: isBinary)) }

    var isBinary: Bool { state.withLock { $0.isBinary } }
    var isCompressed: Bool { state.withLock { $0.isCompressed } }

    /// After a 415; false where nothing plainer is left.
    func fallBack() -> Bool {
        state.withLock { state in
            guard state.isBinary || state.isCompressed else { return false }
            if state.isBinary { state.isBinary = false } else { state.isCompressed = false }
            return true
        }
    }
}
