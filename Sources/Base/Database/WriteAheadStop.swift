// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Where SQLite stops reading a write-ahead log although there is more of it. `UnreadWriteAheadLog` looks for
/// it before the store is opened.
package struct WriteAheadStop: Sendable, Hashable, CustomStringConvertible {
    /// The frame that it does not take, counted from 1; 0 = the header of the log.
    package let frame: Int
    /// Only one bit of it is wrong, and can be put right: a power cut does not do that.
    package let isOneBit: Bool

    /// That of the log of the database at `path`; nil where SQLite reads everything.
    /// Blocks on the disk.
    package init?(ofDatabase path: String) {
        // The database itself is not opened: closing it would give up the locks of another
        // connection of this process.
        let file = DamagedFile.openRegular(path + "-wal")
        guard file >= 0 else { return nil }
        defer { close(file) }
        let pageSize = WriteAheadHeader(file)?.pageSize ?? DamagedFile.usualPageSize
        guard let stop = WriteAheadFrames(file, pageSize: pageSize).stop else { return nil }
        self = stop
    }

    init(frame: Int, isOneBit: Bool) { (self.frame, self.isOneBit) = (frame, isOneBit) }

    package var description: String {
        let place = frame == 0 ? "the head" : "frame \(frame)"
        return "\(place) of the write-ahead log is damaged" + (isOneBit ? " (one bit)" : "")
    }
}
