// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// How records are written for one gateway, as far as it takes that: binary before JSON, gzip before
/// plain.
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
    func giveWay() -> Bool {
        state.withLock { state in
            guard state.isBinary || state.isCompressed else { return false }
            if state.isBinary { state.isBinary = false } else { state.isCompressed = false }
            return true
        }
    }
}
