// SPDX-License-Identifier: Apache-2.0
import Base

/// Thrown by `studyd` where `studyd-tools` does what was typed: says so in one line, with the words to type.
package struct OtherProgram: Error, CustomStringConvertible {
    private let reason: String
    private let words: [String]
    /// True where what was typed is no command of `studyd` at all (exit code 2); false where it is one, but the
    /// board is simulated (exit code 1).
    let isWrongUsage: Bool

    package var description: String {
        "\(reason); type: " + (["studyd-tools"] + words).map(\.shellWord).joined(separator: " ")
    }
}

extension OtherProgram {
    /// Nil unless the words begin with a command that only `studyd-tools` has.
    package init?(_ words: [String]) {
        let commands = [
            ["demo"], ["export"], ["features"], ["make-study"], ["plot"], ["recordings", "export"],
            ["recordings", "plot"],
        ]
        guard let command = commands.first(where: words.starts) else { return nil }
        let typed = command.joined(separator: " ")
        self.init(
            reason: "'\(typed)' is a command of studyd-tools", words: Array(words[(command.count - 1)...]),
            isWrongUsage: true)
    }

    /// For a command of studyd on a simulated board: the same words are to be typed after studyd-tools.
    package init(simulated board: String) {
        self.init(
            reason: "the board '\(board)' is made of software, which studyd-tools has",
            words: Array(CommandLine.arguments.dropFirst()), isWrongUsage: false)
    }
}
