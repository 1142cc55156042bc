// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// A recording or description that a manifest or a log names, for `ProducedCheck`.
package struct ProducedFile: Sendable, Hashable {
    package let name: String
    /// In hexadecimal.
    package let sha256: String
    /// It is said to have been delivered to the lab: false for what waits, was given up or deleted, or goes
    /// elsewhere.
    package let isExpected: Bool

    package init(name: String, sha256: String, isExpected: Bool = true) {
        (self.name, self.sha256, self.isExpected) = (name, sha256, isExpected)
    }

    /// The files that a day's manifest names, and the key that signed it; throws where it is no manifest, or its
    /// signature is wrong.
    package static func all(manifest path: String) throws(FileError) -> (files: [ProducedFile], key: String?) {
        let bytes = try File(path, .read).read(16 << 20, at: 0)
        let text = String(decoding: bytes, as: UTF8.self)
        var key: String?
        switch SignedJSON.verdict(text) {
        case .signed(let found): key = found
        case .unsigned: break
        case .broken: throw .format(path: path, problem: "its signature is not of these lines")
        }
        guard let node = try? JSONNode(bytes), node["format"]?.text == "studyd-manifest",
            let entries = node["entries"]?.array
        else { throw .format(path: path, problem: "is no manifest") }
        return (entries.flatMap(Self.files), key)
    }

    /// What one entry names: the recording, and its description.
    private static func files(_ entry: JSONNode) -> [ProducedFile] {
        func text(_ name: String) -> String? { entry[name]?.text }
        guard ["recording", "memo"].contains(text("kind")), let name = text("name"), let sha256 = text("sha256") else {
            return []
        }
        let isExpected = text("state") == "delivered" && text("why") == nil
        var files = [ProducedFile(name: name, sha256: sha256, isExpected: isExpected)]
        if let digest = text("descriptionSha256"), let ours = RecordingName(name) {
            files.append(ProducedFile(name: ours.description, sha256: digest, isExpected: isExpected))
        }
        return files
    }
}
