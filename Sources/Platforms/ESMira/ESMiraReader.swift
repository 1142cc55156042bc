// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads a study of ESMira: the object that `studies.php` gives, or a file with several languages
/// (`ESMiraLanguage`). `StudyReading` calls it.
///
/// Sparse, as the editor saves it: what is absent has the app's default. Unknown
/// fields are ignored.
package struct ESMiraReader: StudyReader {
    package init() {}

    /// True for one object with `questionnaires` and a study's `id`, and for a server's answer with such objects,
    /// which is refused with what to do.
    package func recognises(_ source: StudySource) -> Bool {
        guard source.files.count == 1, let root = try? JSONNode(source.files[0].bytes) else { return false }
        // A file with several languages has the study under "_".
        let study = root["_"] ?? root
        return study["questionnaires"] != nil && study["id"] != nil || Self.isAnswer(root)
    }

    /// What `studies.php` answers, saved as it is.
    private static func isAnswer(_ root: JSONNode) -> Bool {
        guard let studies = root["dataset"]?.array else { return false }
        return studies.contains { $0["questionnaires"] != nil }
    }

    /// Takes one file; every problem of it is thrown at once, in the order of the file.
    package func decode(_ source: StudySource) throws(StudyFormatError) -> StudyProtocol {
        guard let file = source.files.first, source.files.count == 1 else {
            throw StudyFormatError(
                path: "$", line: nil, expected: "one file: a study of ESMira", found: "\(source.files.count) files")
        }
        let root = try JSONNode(study: file.bytes)
        guard !Self.isAnswer(root) else {
            throw StudyFormatError(
                path: "$.dataset", line: root["dataset"]?.line,
                expected:
                    "a study: save one element of `dataset` alone, or name the server's address instead of a file",
                found: "a server's whole answer")
        }
        let study = ESMiraLanguage.study(in: root, asked: source.options.askedLanguage)
        var decoder = ESMiraDecoder(study, options: source.options)
        return try decoder.study()
    }
}
