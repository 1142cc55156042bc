// SPDX-License-Identifier: Apache-2.0

/// The end of the event log, as it is known outside it: with a head one can see that a log lost its
/// end, or was rewritten.
package struct LogHead: Codable, Sendable, Hashable {
    /// Which log it is: the hash of its first row, 64 hexadecimal digits. A log that goes on after
    /// damage keeps its name.
    package var log: String
    package var sequence: Int64
    /// The hash of that row, 64 hexadecimal digits.
    package var hash: String
}
