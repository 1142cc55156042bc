// SPDX-License-Identifier: Apache-2.0

/// The table `[speech]` of `studyd.toml`, by which `SpeechVoice` speaks.
package struct SpeechSettings: Sendable, Hashable {
    /// Texts are spoken where the board has a loudspeaker.
    package var isEnabled = true
    /// espeak-ng's name of a voice: `en`, `de`, `en-gb`. A study that names no language is taken to
    /// be in this one, and the device's own words are in it where there are any.
    package var language = "en"
}

extension SpeechSettings {
    init(_ table: ConfigTable?) throws {
        self.init()
        guard let table else { return }
        isEnabled = try table.boolean("enabled") ?? true
        language = try Self.language(table) ?? language
    }

    /// Nil where the table names none.
    static func language(_ table: ConfigTable) throws -> String? {
        guard let name = try table.string("language") else { return nil }
        let isName = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-+_".contains($0)) }
        guard isName, (1...32).contains(name.utf8.count), !name.hasPrefix("-") else {
            throw table.error("language", "'\(name)' is not a voice; `espeak-ng --voices` lists them")
        }
        return name
    }
}
