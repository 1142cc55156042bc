// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads the protocols of schema (schema-app/schema) and of its fork momenTUM; `StudyReading` calls it.
///
/// It does what the app does, not what its README says, except where the app's own comments call
/// something a bug.
package struct SchemaReader: StudyReader {
    package init() {}

    /// True for one JSON object with `properties` and `modules`, whatever these hold.
    /// Reads the whole file.
    package func recognises(_ source: StudySource) -> Bool {
        guard source.files.count == 1, let root = try? JSONNode(source.files[0].bytes) else { return false }
        return root["properties"] != nil && root["modules"] != nil
    }

    /// Takes one file; every problem of it is thrown at once, in the order of the file.
    package func decode(_ source: StudySource) throws(StudyFormatError) -> StudyProtocol {
        guard let file = source.files.first, source.files.count == 1 else {
            throw StudyFormatError(
                path: "$", line: nil, expected: "one file: a schema protocol", found: "\(source.files.count) files")
        }
        var decoder = SchemaDecoder(JSONPlace(root: try JSONNode(study: file.bytes)), options: source.options)
        return try decoder.study()
    }
}
