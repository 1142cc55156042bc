// SPDX-License-Identifier: Apache-2.0

/// The key of an age file's chunks, and the nonce of each, for `AgeWriter` and `AgeReader`.
struct ChunkKey {
    let cipher: ChaChaPoly

    init(fileKey: [UInt8], nonce: [UInt8]) throws(AgeFault) {
        guard let key = try? KeyDerivation.sha256(fileKey, salt: nonce, info: "payload"),
            let cipher = ChaChaPoly(key: key)
        else { throw .library }
        self.cipher = cipher
    }

    /// Eleven bytes of the chunk's number, big-endian, and one that says whether it is the last.
    static func nonce(_ number: UInt64, isLast: Bool) -> [UInt8] {
        var nonce = [UInt8](repeating: 0, count: 12)
        for place in 0..<8 { nonce[3 + place] = UInt8(truncatingIfNeeded: number >> UInt64(8 * (7 - place))) }
        nonce[11] = isLast ? 1 : 0
        return nonce
    }
}
