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

/// `000042-accelerometer`: what the files of a recording are called, without their endings.
public struct RecordingName: Sendable, Hashable {
    /// The recording number.
    public let number: Int
    /// What is measured.
    public let kind: String

    /// The name of a recording.
    public init(number: Int, kind: String) {
        self.number = number
        self.kind = kind
    }

    /// The name in a file name; nil for a file that is none of ours.
    public init?(_ fileName: String) {
        let stem = fileName.split(separator: ".", maxSplits: 1).first ?? ""
        let parts = stem.split(separator: "-", maxSplits: 1)
        guard parts.count == 2, parts[0].count >= 6, let number = Int(parts[0]), number > 0 else { return nil }
        self.init(number: number, kind: String(parts[1]))
    }

    /// The common beginning of its files.
    public var base: String { "\(TimeText.padded(number, 6))-\(kind)" }
    /// The description beside the sealed file.
    public var description: String { base + ".json" }
    /// The description while the file is not sealed.
    public var draft: String { base + ".open" }
}
