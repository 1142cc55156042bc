// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

package enum AgentVersion {
    /// The version, kept in the event log at every start.
    package static let text = ProgramVersion.text
    /// The commit that it was built from, in hexadecimal; nil where the build did not say.
    package static let commit = BuildID.own?.commit
    /// What `--version` prints.
    package static let line = ProgramVersion.line(commit: commit)
    /// Sent as `User-Agent` with downloads and deliveries.
    package static let userAgent = "studyd/" + text
}
