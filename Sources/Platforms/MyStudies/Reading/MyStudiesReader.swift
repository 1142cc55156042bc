// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads studies of FDA MyStudies: an activity list and the metadata of each activity, as the study metadata
/// server gives them. `StudyReading` calls it.
///
/// The files' contents tell which is which; their names do not matter. An activity without a list
/// is taken as one that can be done at any time.
package struct MyStudiesReader: StudyReader {
    package init() {}

    /// True where a file holds `activities`, or an `activity` with steps.
    package func recognises(_ source: StudySource) -> Bool {
        source.files.contains { file in
            guard file.name.hasSuffix(".json"), let root = try? JSONNode(file.bytes) else { return false }
            return root["activities"] != nil || root["activity"]?["steps"] != nil
        }
    }

    /// The options with every choice written out: which app is followed, how numbers are compared, and how
    /// far ahead runs are planned.
    package func completed(_ options: StudyOptions) -> StudyOptions { options.writtenOut }

    /// Every problem of every file is thrown at once.
    package func decode(_ source: StudySource) throws(StudyFormatError) -> StudyProtocol {
        var roots: [JSONPlace] = []
        // study.toml comes as study.json.
        for file in source.files where file.name.hasSuffix(".json") {
            let name = source.files.count == 1 ? nil : file.name
            let node = try JSONNode(study: file.bytes, in: name)
            roots.append(name.map { JSONPlace(root: node, file: $0) } ?? JSONPlace(root: node))
        }
        var decoder = MyStudiesDecoder(roots, options: source.options)
        return try decoder.study()
    }
}
