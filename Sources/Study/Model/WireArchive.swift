// SPDX-License-Identifier: Apache-2.0
import Base

/// The body of a request as a zip that `ArchivePacker` packs when the request is kept: files that the
/// platform's `ReportWriter` made, and files that recorders of the run wrote.
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
