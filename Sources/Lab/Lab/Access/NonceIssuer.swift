// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Issues nonces that it recognises later without keeping them: `SignatureCheck` gives a device one with a 401,
/// to sign with its next request.
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
