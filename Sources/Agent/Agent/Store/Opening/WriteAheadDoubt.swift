// SPDX-License-Identifier: Apache-2.0
import Database

/// A write-ahead log that SQLite would not read to its end: what it does not read it writes over,
/// or takes away when it closes. To be asked before a store is opened. Blocks on the disk.
///
/// A power cut leaves such an end too, of a commit that was never confirmed: that is none of the
/// rows which the head tells of, and no damage.
struct WriteAheadDoubt {
    private let path: String
    private let stop: WriteAheadStop

    /// Of the database at `path`; nil where SQLite reads everything.
    init?(_ path: String) {
        guard let stop = WriteAheadStop(ofDatabase: path) else { return nil }
        (self.path, self.stop) = (path, stop)
    }

    /// Throws where rows would be lost that were confirmed, or that no power cut took.
    func refuseLoss(known: HeadFile.Knowledge) throws {
        // One wrong bit is damage, and not the end that a power cut leaves.
        if known == .begun, !stop.isOneBit { return }
        guard !stop.isOneBit, let head = known.head else { throw DamageFound(words: "\(stop)") }
        let connection = try Connection(.file(path))
        connection.setCheckpointOnClose(false)
        let hash = try connection.first("SELECT hash FROM event WHERE sequence = ?", head.sequence) { try $0.bytes(0) }
        guard hash?.hexadecimal == head.hash else { throw DamageFound(words: "\(stop)") }
    }
}
