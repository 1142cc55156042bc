// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// What no single file shows: whether the files that are here are those that were produced.
/// `studyd recordings verify` has one.
package struct ProducedCheck {
    private let produced: [ProducedFile]
    /// Digests of the files that `checkFile` was given.
    private var present: Set<String> = []
    /// Descriptions are named, too; older manifests do not name them, and then those that are here are not
    /// checked.
    private let namesDescriptions: Bool

    package init(_ produced: [ProducedFile]) {
        self.produced = produced
        namesDescriptions = produced.contains { $0.name.hasSuffix(".json") }
    }

    /// What is wrong with a file that is here, in words; nil where a manifest or the log names it.
    package mutating func checkFile(at path: String) throws(FileError) -> String? {
        let digest = try FileDigest.sha256(of: File(path, .read))
        present.insert(digest)
        let name = RecordingFileIndex.originalName(of: path)
        // What is still being recorded was not produced yet.
        guard ![".partial", ".open"].contains(where: name.hasSuffix), !name.hasSuffix(".json") || namesDescriptions
        else { return nil }
        let named = produced.filter { $0.sha256 == digest }
        if named.contains(where: { $0.name == name }) { return nil }
        if let other = named.first { return "it is \(other.name), under another name" }
        guard let expected = produced.last(where: { $0.name == name }) else {
            return "no manifest and no log names it: it was added, or is another device's"
        }
        return "it is not the \(name) that was produced: SHA-256 \(digest) instead of \(expected.sha256)"
    }

    /// Names of what was produced and is not here: after `checkFile` of every file.
    package var missing: [String] {
        var seen: Set<ProducedFile> = []
        return produced.filter { $0.isExpected && !present.contains($0.sha256) && seen.insert($0).inserted }.map(\.name)
    }
}
