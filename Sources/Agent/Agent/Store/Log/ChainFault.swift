// SPDX-License-Identifier: Apache-2.0

/// A row of the log that does not fit its chain.
package struct ChainFault: Sendable, Hashable, CustomStringConvertible {
    package let sequence: Int64
    package let problem: String

    package var description: String {
        "event \(sequence): \(problem): the log was changed after it was written, or the disk is damaged"
    }
}
