// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Hands out recording numbers, each once for ever, also across power cuts and after recordings were deleted.
public final class RecordingNumbers: Sendable {
    private let folder: DiskFolder
    private let next: Mutex<Int>
    private static let file = "next-number"

    /// The numbers of a folder: at least 1, above what was handed out, above every recording that is there.
    public init(_ folder: DiskFolder) throws(RecordingError) {
        self.folder = folder
        let kept = folder.contains(Self.file) ? try folder.contents(of: Self.file, limit: 64) : []
        let text = String(decoding: kept, as: UTF8.self).prefix { $0.isNumber }
        let highest = try folder.names().compactMap(RecordingName.init).map(\.number).max() ?? 0
        next = Mutex(max(Int(text) ?? 1, highest + 1))
    }

    /// The next number; it is durable that it is taken when this returns.
    public func take() throws(RecordingError) -> Int {
        try next.withLock { number throws(RecordingError) in
            try folder.replace(Self.file, with: Array("\(number + 1)\n".utf8))
            defer { number += 1 }
            return number
        }
    }
}
