// SPDX-License-Identifier: Apache-2.0
import Synchronization
import SystemKit

/// Hands out recording numbers, each once for ever, also across power cuts and after recordings were deleted;
/// `RecordingFolder` has one.
package final class RecordingNumbers: Sendable {
    private let folder: DiskFolder
    private let next: Mutex<Int>
    private static let file = "next-number"

    /// The numbers of a folder: at least 1, above what was handed out, above every recording that
    /// is there, and above `known`: the event log remembers recordings with files that are long
    /// gone. A counter file that cannot be read is ignored, since the other two suffice.
    package init(_ folder: DiskFolder, known: Int = 0) throws(FileError) {
        self.folder = folder
        let kept = (try? folder.contents(of: Self.file, limit: 64)) ?? []
        let digits = String(decoding: kept.prefix { (48...57).contains($0) }, as: UTF8.self)
        let counted = Int(digits).flatMap { $0 < RecordingName.limit ? $0 : nil } ?? 1
        var highest = 0
        try folder.forEachName { highest = max(highest, RecordingName($0)?.number ?? 0) }
        next = Mutex(max(counted, highest + 1, known < RecordingName.limit ? known + 1 : 1))
    }

    package var upcoming: Int { next.withLock { $0 } }

    /// Takes the next number; when this returns, the disk has it as taken.
    package func handOut() throws(FileError) -> Int {
        try next.withLock { number throws(FileError) in
            try folder.replace(Self.file, with: Array("\(number + 1)\n".utf8))
            defer { number += 1 }
            return number
        }
    }
}
