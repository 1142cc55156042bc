// SPDX-License-Identifier: Apache-2.0

/// A platform's short name, as `--format`, the event log and the outbox write it.
///
/// The catalog of platforms says which names there are: a log may hold one that this program
/// no longer knows.
package struct PlatformName: RawRepresentable, Codable, Sendable, Hashable, CustomStringConvertible {
    /// Small letters.
    package let rawValue: String

    /// That name, whether a platform has it or not.
    package init(rawValue: String) { self.rawValue = rawValue }

    package var description: String { rawValue }
}
