// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// `000042-accelerometer`: what the files of a recording are called, without their endings.
package struct RecordingName: Sendable, Hashable {
    package let number: Int
    private let kind: String

    package init(number: Int, kind: String) {
        self.number = number
        self.kind = kind
    }

    /// No device makes this many: a file with a greater number is not ours, and does not decide what the next
    /// recording's number is.
    package static let limit = 1 << 48

    /// The name in a file name; nil for a file that is none of ours.
    package init?(_ fileName: String) {
        let stem = fileName.split(separator: ".", maxSplits: 1).first ?? ""
        let parts = stem.split(separator: "-", maxSplits: 1)
        guard parts.count == 2, parts[0].count >= 6, let number = Int(parts[0]), number > 0,
            number < Self.limit
        else { return nil }
        self.init(number: number, kind: String(parts[1]))
    }

    /// The common beginning of its files.
    package var base: String { "\(number.padded(6))-\(kind)" }
    /// The description beside the sealed file.
    package var description: String { base + ".json" }
    /// The description while the file is not sealed.
    package var draft: String { base + ".open" }
}

extension RecordingDescription {
    /// The description of a file of ours under the device's own name, or under one that a receiver gave
    /// it: then the file's digest decides, since files of several devices lie in one folder.
    static func beside(
        _ path: String, in index: RecordingFileIndex = RecordingFileIndex()
    ) throws(FileError) -> RecordingDescription? {
        let name = RecordingFileIndex.originalName(of: path)
        guard path != name, !path.hasSuffix("/" + name) else { return try beside(path, name) }
        guard let found = try index.description(of: path),
            try FileDigest.sha256(of: File(path, .read)) == found.sha256
        else { return nil }
        return found
    }

    /// The description beside a file of ours; nil where there is none, and the file has to
    /// speak for itself.
    static func beside(
        _ path: String, _ name: String
    ) throws(FileError) -> RecordingDescription? {
        guard let ours = RecordingName(name) else { return nil }
        let beside = path.dropLast(name.count) + (name.hasSuffix(".partial") ? ours.draft : ours.description)
        guard let file = try? File(String(beside), .read), try file.size() < 4 << 20 else { return nil }
        return try RecordingDescription(json: file.read(file.size(), at: 0), path: file.path)
    }
}
