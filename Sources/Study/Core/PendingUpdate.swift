// SPDX-License-Identifier: Apache-2.0

/// Another version of the study, with which an enrolment is to go on: `StudyLoop` gives it to `StudyCore`,
/// which follows it once nothing is open.
package struct PendingUpdate: Sendable {
    /// What the server sent, read.
    package let loaded: LoadedStudy
    /// The server's name of that version.
    package let version: String

    package init(loaded: LoadedStudy, version: String) { (self.loaded, self.version) = (loaded, version) }
}
