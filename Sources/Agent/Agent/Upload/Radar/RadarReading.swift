// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Keeps the file that is being sent open from one step to the next, so that each of its rows is read
/// once. Any thread.
final class RadarReading: Sendable {
    private let reader = Mutex<RadarRecords.Reader?>(nil)

    /// At most `most` rows after the first `done` of a file; the open file continues where it can.
    func rows(ofFile path: String, after done: Int, most: Int) throws -> RadarRecords.Rows {
        try reader.withLock { reader in
            let present: RadarRecords.Reader
            if let open = reader, open.path == path, open.done == done {
                present = open
            } else {
                present = try RadarRecords.Reader(ofFile: path)
                try present.skip(to: done)
            }
            reader = present
            return try present.rows(most: most)
        }
    }

    /// To be called when no step follows: a file that is removed while it is open keeps its space on the disk.
    func close() { reader.withLock { $0 = nil } }
}
