// SPDX-License-Identifier: Apache-2.0

/// What `samplesStored` and `samplesLost` of a recording's description count. The encoder of each format says
/// which; the names are those of the description.
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
