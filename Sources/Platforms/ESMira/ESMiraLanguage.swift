// SPDX-License-Identifier: Apache-2.0
import Base

/// The study of a file, in one of its languages, for `ESMiraReader`.
///
/// The server keeps a study for each language (`{"_": study, "de": study}`). What the editor
/// downloads is one study, in which every text that differs between languages is an object with a text
/// for each (`TranslatablePrimitive.createJson`, ESMira-web 0750ca3).
enum ESMiraLanguage {
    /// In the language that was asked for where the file has it, else in the study's own.
    static func study(in root: JSONNode, asked: String?) -> JSONPlace {
        let place = JSONPlace(root: root)
        if let main = place.member("_") { return asked.flatMap { place.member($0) } ?? main }
        let codes = place.member("langCodes")?.elements?.compactMap(\.text) ?? []
        let own = place.member("defaultLang")?.text ?? "en"
        guard let code = [asked, own].compactMap(\.self).first(where: { codes.contains($0) }) ?? codes.first
        else { return place }
        var isTranslated = false
        let study = translated(root, to: code, of: Set(codes), &isTranslated)
        guard isTranslated, case .object(let members) = study.content else { return place }
        // The reader takes the study's language from `lang`, which such a file does not have.
        let language = JSONNode.Member(key: "lang", value: JSONNode(content: .string(code), line: root.line))
        return JSONPlace(root: JSONNode(content: .object(members + [language]), line: root.line))
    }

    private static func translated(
        _ node: JSONNode, to code: String, of codes: Set<String>, _ isTranslated: inout Bool
    ) -> JSONNode {
        switch node.content {
        case .array(let elements):
            let read = elements.map { translated($0, to: code, of: codes, &isTranslated) }
            return JSONNode(content: .array(read), line: node.line)
        case .object(let members):
            if let first = members.first, members.allSatisfy({ codes.contains($0.key) && $0.value.isText }) {
                isTranslated = true
                return node[code] ?? first.value
            }
            let read = members.map {
                JSONNode.Member(key: $0.key, value: translated($0.value, to: code, of: codes, &isTranslated))
            }
            return JSONNode(content: .object(read), line: node.line)
        case .null, .boolean, .number, .string: return node
        }
    }
}

extension JSONNode {
    fileprivate var isText: Bool { if case .string = content { true } else { false } }
}
