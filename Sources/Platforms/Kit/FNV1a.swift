// SPDX-License-Identifier: Apache-2.0

/// The 64-bit hash FNV-1a: the same on every device and in every release, and not cryptographic. Among others,
/// ESMira's numbers of recordings and the run ids of Sage (`SageWriter`) are made from it.
package enum FNV1a {
    package static let basis: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Goes on from the hash of earlier bytes; `basis` where there are none.
    package static func hash(_ bytes: some Sequence<UInt8>, from earlier: UInt64 = basis) -> UInt64 {
        bytes.reduce(earlier) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
