// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// `journal-000042`: the journal of one run of the agent, of which 42 is the first recording in it.
/// `RecordingJournal` names its file so.
struct JournalName: Sendable, Hashable, CustomStringConvertible {
    private static let prefix = "journal-"
    let first: Int

    init(first: Int) { self.first = first }

    /// Nil for any other file.
    init?(_ fileName: String) {
        guard fileName.hasPrefix(Self.prefix), let first = Int(fileName.dropFirst(Self.prefix.count)), first > 0 else {
            return nil
        }
        self.first = first
    }

    var description: String { Self.prefix + first.padded(6) }
}
