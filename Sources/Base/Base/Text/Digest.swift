// SPDX-License-Identifier: Apache-2.0

/// A SHA-256, as 32 bytes, written in lower-case hexadecimal. `SystemKit` computes them. Recordings, studies
/// and log rows are identified by it.
package struct Digest: Sendable, Hashable, CustomStringConvertible {
    package let bytes: [UInt8]

    /// Takes a digest made elsewhere; nil unless it has 32 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    package var description: String { bytes.hexadecimal }
}
