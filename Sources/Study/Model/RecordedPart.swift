// SPDX-License-Identifier: Apache-2.0

/// A file of an archive that is made of recordings: Sage's writer names it, and `ArchivePacker` has it written.
package struct RecordedPart: Sendable, Hashable {
    package enum Form: Sendable, Hashable {
        /// The first file as it is.
        case asItIs
        /// Motion of all files by these sensors, as records of SageResearch's motion
        /// recorder have them.
        case motion([String])
        /// Levels of sound, once a second.
        case levels
        /// The track of a receiver, with its places or without; its length is measured during the
        /// step of that identifier, nil = all the time.
        case track(withPlaces: Bool, movingIn: String?)
    }
    /// A step that was presented while it was recorded, or was open when the recording began.
    package struct Mark: Sendable, Hashable {
        /// CLOCK_MONOTONIC in seconds.
        package let uptime: Double
        /// `task/section/step`.
        package let path: String
        /// RFC 3339.
        package let date: String

        package init(uptime: Double, path: String, date: String) {
            (self.uptime, self.path, self.date) = (uptime, path, date)
        }
    }

    /// Paths within the recordings folder, at least one.
    package let files: [String]
    package let form: Form
    /// In the order of time.
    package let marks: [Mark]
    /// In seconds of CLOCK_MONOTONIC; later samples do not belong to it.
    package let end: Double

    package init(files: [String], form: Form, marks: [Mark], end: Double) {
        (self.files, self.form, self.marks, self.end) = (files, form, marks, end)
    }
}
