// SPDX-License-Identifier: Apache-2.0
import Base

/// The draws of one enrolment: for each thing that is drawn, a separate generator. Schedules, `OpenedTask` and
/// `RuleEngine` draw from it.
///
/// A generator's seed is the first eight bytes of SHA-256(enrolment seed ‖ what is drawn),
/// so a plan can be printed, reproduced and audited, and a task that is added later
/// changes no other draw.
package struct Chance: Sendable {
    private let seed: [UInt8]
    private let digest: @Sendable ([UInt8]) -> [UInt8]

    package init(seed: [UInt8], digest: @escaping @Sendable ([UInt8]) -> [UInt8]) {
        self.seed = seed
        self.digest = digest
    }

    /// The generator for what is named: `condition`, `module u-log/occurrence 3`,
    /// `module u-log/opening 3/shuffle`.
    package func generator(for what: String) -> SplitMix64 {
        SplitMix64(seed: digest(seed + Array(what.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }
}
