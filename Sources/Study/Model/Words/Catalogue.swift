// SPDX-License-Identifier: Apache-2.0

/// The translations of one `Language`, from a file as gettext writes it (GNU gettext manual, "The Format of PO
/// Files"). Entries that are fuzzy, obsolete or empty are left out.
struct Catalogue: Sendable {
    /// By the header's field `Language`.
    let language: String
    let plural: PluralRule
    private(set) var texts: [Phrase: [String]] = [:]

    /// Nil where the header names no language or its plural rule cannot be read.
    init?(_ file: String) {
        let entries = Self.entries(file)
        guard let head = entries.first(where: { $0.id == "" })?.texts.first else { return nil }
        let fields = head.split(separator: "\n").map { $0.split(separator: ":", maxSplits: 1) }
        func field(_ name: String) -> String? {
            fields.first { $0.count == 2 && $0[0] == name }.map { String($0[1].drop { $0 == " " }) }
        }
        guard let language = field("Language"), !language.isEmpty,
            let plural = PluralRule(field("Plural-Forms") ?? PluralRule.english)
        else { return nil }
        (self.language, self.plural) = (language, plural)
        for entry in entries where entry.id != "" && entry.isUsable {
            texts[Phrase(entry.id, context: entry.context)] = entry.texts
        }
    }

    private struct Entry {
        var context: String?
        var id: String
        var texts: [String] = []
        var isFuzzy = false
        var isUsable: Bool { !isFuzzy && !texts.isEmpty && !texts.contains("") }
    }

    private static func entries(_ file: String) -> [Entry] {
        var entries: [Entry] = []
        var (context, isFuzzy) = (String?.none, false)
        for (keyword, text) in statements(file) {
            switch keyword {
            case "#,": isFuzzy = isFuzzy || text.contains("fuzzy")
            case "#~": isFuzzy = false
            case "msgctxt": context = text
            case "msgid":
                entries.append(Entry(context: context, id: text, isFuzzy: isFuzzy))
                (context, isFuzzy) = (nil, false)
            case let form where form.hasPrefix("msgstr") && !entries.isEmpty:
                entries[entries.count - 1].texts.append(text)
            default: break
            }
        }
        return entries
    }

    /// Each keyword with its text, which may be in parts on several lines.
    private static func statements(_ file: String) -> [(keyword: Substring, text: String)] {
        var statements: [(keyword: Substring, text: String)] = []
        for line in file.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("\""), !statements.isEmpty {
                statements[statements.count - 1].text += unquoted(line)
            } else if line.hasPrefix("#~") {
                // Obsolete: a flag before it is not of the entry after it.
                statements.append(("#~", ""))
            } else if line.hasPrefix("#,") {
                statements.append(("#,", String(line)))
            } else if !line.hasPrefix("#"), let space = line.firstIndex(of: " ") {
                statements.append((line[..<space], unquoted(line[space...].dropFirst())))
            }
        }
        return statements
    }

    private static func unquoted(_ text: Substring) -> String {
        var (result, isEscaped) = ("", false)
        for character in text.dropFirst().dropLast() {
            switch (isEscaped, character) {
            case (false, "\\"):
                isEscaped = true
                continue
            case (true, "n"): result.append("\n")
            case (true, "t"): result.append("\t")
            default: result.append(character)
            }
            isEscaped = false
        }
        return result
    }
}
