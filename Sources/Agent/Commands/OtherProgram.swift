// SPDX-License-Identifier: Apache-2.0

/// What was typed is a command of `studyd-tools`: says so in one line, with the words to type.
package struct OtherProgram: Error, CustomStringConvertible {
    private let reason: String
    private let words: [String]

    package init(_ reason: String, words: [String]) {
        self.reason = reason
        self.words = words
    }

    package var description: String {
        "\(reason); type: " + (["studyd-tools"] + words).map(Self.quoted).joined(separator: " ")
    }

    /// As a shell reads it back.
    private static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.utf8.allSatisfy { byte in
                switch byte {
                case 48...57, 65...90, 97...122: true
                default: "-_./:,=+@%".utf8.contains(byte)
                }
            }
        // By scalars: with a combining one behind it a quote is another character.
        let escaped = word.unicodeScalars.map { $0 == "'" ? #"'\''"# : String($0) }.joined()
        return isPlain ? word : "'" + escaped + "'"
    }
}

extension OtherProgram {
    /// Nil unless the words begin with a command that only `studyd-tools` has.
    package init?(_ words: [String]) {
        let commands = [
            ["demo"], ["export"], ["features"], ["plot"], ["recordings", "export"], ["recordings", "plot"],
        ]
        guard let command = commands.first(where: words.starts) else { return nil }
        let typed = command.joined(separator: " ")
        self.init("'\(typed)' is a command of studyd-tools", words: Array(words[(command.count - 1)...]))
    }

    /// For a command of studyd on a simulated board: the same words are to be typed after studyd-tools.
    package init(simulated board: String) {
        self.init(
            "the board '\(board)' is made of software, which studyd-tools has",
            words: Array(CommandLine.arguments.dropFirst()))
    }
}
