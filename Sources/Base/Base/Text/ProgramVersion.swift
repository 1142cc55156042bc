// SPDX-License-Identifier: Apache-2.0

/// The version of all programs of this package. `--version` prints it; recordings, reports and exports name it.
package enum ProgramVersion {
    package static let text = "0.9.0"

    /// What `--version` prints: `0.9.0 (commit abcdef123456)`.
    package static func line(commit: String?) -> String {
        "\(text) (commit \(commit.map { String($0.prefix(12)) } ?? "unknown"))"
    }
}
