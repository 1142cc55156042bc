// SPDX-License-Identifier: Apache-2.0

/// What a recording's numbers of stored and lost count. The names are those of its description.
package enum CountedUnit: String, Sendable, Codable, CustomStringConvertible {
    case samples
    /// Of a serial line, as it sent them.
    case bytes
    case events
    /// Rows of features, one for each epoch.
    case epochs
    /// Of a file that studyd did not write.
    case rows, sentences

    package var description: String { rawValue }
}
