// SPDX-License-Identifier: Apache-2.0
import Base

/// The body of a request as a zip that is packed when the request is kept: files that the platform's
/// `ReportWriter` made, and files that recorders of the run wrote.
///
/// Two are equal where their dates and entries are; `made` itself is not compared.
package struct WireArchive: Sendable, Hashable {
    /// One file of it; names are ASCII.
    package struct Entry: Sendable, Hashable {
        /// Unique in the archive.
        package let name: String
        /// Its bytes, or what they are made of.
        package let content: Content

        package init(_ name: String, _ content: Content) { (self.name, self.content) = (name, content) }
    }
    /// Where a file comes from.
    package enum Content: Sendable, Hashable {
        case bytes([UInt8])
        case recorded(RecordedPart)
    }

    /// The date of its files.
    package let written: LocalDateTime
    private let made: @Sendable (Set<String>) -> [Entry]

    /// An archive of the files that `made` gives, in order. It is called again with the names of
    /// recordings that could not be read: they are left out then, and the other files say so.
    package init(written: LocalDateTime, made: @escaping @Sendable (_ unreadable: Set<String>) -> [Entry]) {
        self.written = written
        self.made = made
    }

    /// In order, where everything can be read.
    package var entries: [Entry] { made([]) }

    /// In order, where the recordings of those names cannot be read.
    package func entries(without unreadable: Set<String>) -> [Entry] { made(unreadable) }

    package static func == (one: WireArchive, other: WireArchive) -> Bool {
        one.written == other.written && one.entries == other.entries
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(written)
        hasher.combine(entries)
    }
}

/// A file of an archive that is made of recordings.
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
