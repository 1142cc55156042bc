// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// The studies in which the broker shows the device, until it has taken the last words of those that were left:
/// the agent may be off then, or the broker away. Kept on the disk, a line `DEVICE STUDY` for each; it outlives a
/// hand-over. Blocks on the disk.
struct LiveMemory: Sendable {
    /// Older ones are forgotten.
    static let most = 16

    /// As levels of topics, the latest last.
    private(set) var studies: [String]
    private let device: String
    private let path: String

    /// Lines of another device are ignored, since a copied card has the first one's: that one may still be shown.
    init(in folder: String, device: String) {
        (path, self.device) = (StateFolder.liveMemory(in: folder), device)
        let text = (try? BoundedFile.read(path, limit: 65_536)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
        let known = lines.filter { $0.count == 2 && $0[0] == device && LiveTopics.isLevel($0[1]) }
        studies = known.suffix(Self.most).map { String($0[1]) }
    }

    mutating func add(_ study: String) throws { try keep(studies.filter { $0 != study } + [study]) }

    mutating func keepOnly(_ study: String?) throws { try keep(studies.filter { $0 == study }) }

    private mutating func keep(_ names: [String]) throws {
        guard names != studies else { return }
        studies = names.suffix(Self.most)
        let lines = studies.map { "\(device) \($0)\n" }.joined()
        try AtomicFile.write(Array(lines.utf8), to: path, mode: 0o640)
    }
}
