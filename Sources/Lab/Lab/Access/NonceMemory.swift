// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Which nonces were seen while their signatures could still be good: `SignatureCheck` refuses one that comes
/// again. Pure.
///
/// Bounded: after more than `limit` signatures in that time old ones can be used again; what devices
/// send is recognised when it comes twice.
struct NonceMemory: Sendable {
    /// A signature is good from 300 s before to 300 s after it was made.
    static let span = SignatureProfile.clockTolerance * 2
    private let limit: Int
    private var recent: Set<String> = []
    private var earlier: Set<String> = []
    private var began: MonotonicTime

    init(at now: MonotonicTime, limit: Int = 200_000) {
        began = now
        self.limit = limit
    }

    /// True where it has not been seen; remembers it.
    mutating func takeFirst(_ nonce: String, at now: MonotonicTime) -> Bool {
        if now - began > Self.span || recent.count >= limit {
            earlier = now - began > Self.span * 2 ? [] : recent
            recent = []
            began = now
        }
        guard !earlier.contains(nonce) else { return false }
        return recent.insert(nonce).inserted
    }
}
