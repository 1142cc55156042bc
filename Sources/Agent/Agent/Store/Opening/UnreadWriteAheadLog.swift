// SPDX-License-Identifier: Apache-2.0
import Database

/// A write-ahead log that SQLite would not read to its end; once it opens the database, SQLite overwrites or deletes
/// the rest. `OpenStore` and `StoreOpening` ask before they open one. Blocks on the disk.
///
/// A power cut during a commit leaves such a rest too. That is no damage: the head file, which is written
/// after each commit, does not name its rows.
struct UnreadWriteAheadLog {
    private let path: String
    private let stop: WriteAheadStop

    /// That of the database at `path`; nil where SQLite reads everything.
    init?(_ path: String) {
        guard let stop = WriteAheadStop(ofDatabase: path) else { return nil }
        (self.path, self.stop) = (path, stop)
    }

    /// Throws `DamageFound` unless the rest is what a power cut leaves, and SQLite reads the row that the head
    /// names. `known` is what the head file says.
    func refuseLoss(known: HeadFile.Knowledge) throws {
        // One wrong bit is always damage. With `begun` no row was ever confirmed, so none can be lost.
        if known == .begun, !stop.isOneBit { return }
        guard !stop.isOneBit, let head = known.head else { throw DamageFound(words: "\(stop)") }
        let connection = try Connection(.file(path))
        connection.setCheckpointOnClose(false)  // closing must not delete the log in question
        guard try connection.logHash(of: head.sequence) == head.hash else { throw DamageFound(words: "\(stop)") }
    }
}
