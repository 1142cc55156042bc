// SPDX-License-Identifier: Apache-2.0
import Base

/// What this program calls itself.
package enum AgentVersion {
    /// The version, kept in the event log at every start.
    package static let text = ProgramVersion.text
    /// What it was built from; nil where the build does not say.
    package static let commit: String? = nil
    /// Sent as `User-Agent` with downloads and deliveries.
    package static let userAgent = "studyd/" + text
}
