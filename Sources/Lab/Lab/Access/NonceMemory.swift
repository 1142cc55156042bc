// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Which nonces were seen while their signatures could still be good. Pure.
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

/// Issues nonces that it recognises later without keeping them.
struct NonceIssuer: Sendable {
    private let secret: [UInt8]

    init(secret: [UInt8]) { self.secret = secret }

    /// Another one each time: a device asks several times at once, and signs each nonce once.
    func issue(at now: Instant) -> String {
        let chance = UInt64.random(in: .min ... .max)
        let head = [UInt64(bitPattern: now.milliseconds), chance].flatMap { number in
            withUnsafeBytes(of: number.bigEndian) { Array($0) }
        }
        return Base64.encoded(head + seal(head))
    }

    /// Whether it was issued within the last five minutes.
    func isFresh(_ nonce: String, at now: Instant) -> Bool {
        guard let bytes = Base64.decoded(nonce), bytes.count == 32, Array(bytes[16...]) == seal(Array(bytes[..<16]))
        else { return false }
        let time = Instant(milliseconds: bytes[..<8].reduce(0) { $0 << 8 | Int64($1) })
        return time <= now && now - time <= SignatureProfile.clockTolerance
    }

    /// Empty, which no nonce has, where libcrypto refuses.
    private func seal(_ head: [UInt8]) -> [UInt8] {
        ((try? MessageAuthenticationCode.sha256(head, key: secret)) ?? []).prefix(16).map { $0 }
    }
}
