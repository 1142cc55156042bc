// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// A digest of the description within the description, so that a change of any of its bytes shows.
/// `RecordingFolder` writes it, `FileInspector` checks it.
///
/// It is the SHA-256 of the text with 64 zeros in the seal's own place. It guards against
/// accidents, not against someone who computes it again: what a file was when it was sealed is in
/// the hash-chained event log, which holds the file's digest too.
enum DescriptionSeal {
    private static let key = "seal"
    static let empty = String(repeating: "0", count: 64)
    private static let opening = Array("\"\(key)\": \"".utf8)

    /// What is wrong with the seal of a description's text; nil when it fits.
    static func fault(_ text: [UInt8]) throws(FileError) -> String? {
        guard let place = lastPlace(of: opening, in: text) else { return "the description has lost its seal" }
        let range = place + opening.count..<place + opening.count + empty.utf8.count
        guard range.upperBound <= text.count else { return "the description is truncated" }
        var unsealed = text
        unsealed.replaceSubrange(range, with: empty.utf8)
        let digest = try FileDigest.sha256(unsealed)
        return Array(digest.utf8) == Array(text[range]) ? nil : "the description was changed after it was sealed"
    }

    private static func lastPlace(of word: [UInt8], in text: [UInt8]) -> Int? {
        guard text.count >= word.count else { return nil }
        return (0...text.count - word.count).last { start in
            text[start] == word[0] && text[start..<start + word.count].elementsEqual(word)
        }
    }
}

extension RecordingDescription {
    /// The text as it was written to the disk.
    package func text() throws(FileError) -> [UInt8] {
        var copy = self
        return try copy.digestedText()
    }

    /// The text as it is written to the disk; sets the seal.
    mutating func digestedText() throws(FileError) -> [UInt8] {
        seal = DescriptionSeal.empty
        seal = try FileDigest.sha256(Array(json.indentedText.utf8))
        return Array(json.indentedText.utf8)
    }
}
