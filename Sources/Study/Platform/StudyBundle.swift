// SPDX-License-Identifier: Apache-2.0
import Base

/// A study of several files as one text, so that it can be kept as it was found: its files, and what was chosen
/// where the platform's apps differ. `StudyFinder` and servers write it, and `StudyReading` reads it.
///
/// Studies of years ago lie in stores in this form: what is written may grow, and must not change.
package enum StudyBundle {
    /// `studyd-bundle` must come first: `source` recognises a bundle by that beginning.
    package static func bytes(_ files: [StudySource.File], options: StudyOptions) -> [UInt8] {
        let members = files.map { JSONText.Member($0.name, .string(String(decoding: $0.bytes, as: UTF8.self))) }
        let bundle: [JSONText.Member] = [
            .init("studyd-bundle", .object(members)), .init("options", .object(options.members)),
        ]
        return Array(JSONText.object(bundle).text.utf8)
    }

    /// The files again; nil where the text is no bundle but a study itself.
    package static func source(_ bytes: [UInt8]) -> StudySource? {
        guard bytes.starts(with: Array("{\"studyd-bundle\":".utf8)), let root = try? JSONNode(bytes),
            case .object(let members)? = root["studyd-bundle"]?.content
        else { return nil }
        var source = StudySource(
            files: members.compactMap { member in
                guard case .string(let text) = member.value.content else { return nil }
                return .init(name: member.key, bytes: Array(text.utf8))
            })
        source.options = options(root["options"])
        return source
    }

    /// Options are texts, truth values and whole numbers; anything else is passed over.
    private static func options(_ node: JSONNode?) -> StudyOptions {
        var options = StudyOptions()
        guard case .object(let members)? = node?.content else { return options }
        for member in members {
            switch member.value.content {
            case .string(let text): options[member.key] = .string(text)
            case .boolean(let value): options[member.key] = .boolean(value)
            case .number(let text): options[member.key] = Int64(text).map(JSONText.integer)
            case .null, .array, .object: break
            }
        }
        return options
    }
}
