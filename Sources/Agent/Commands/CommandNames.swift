// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Base

/// The names of commands, as typed, for `Program`: for an unknown one the nearest is suggested.
package enum CommandNames {
    /// Throws where the word in the place of a command is not one.
    package static func check(_ words: [String], of root: any ParsableCommand.Type) throws {
        var command = root
        for word in words {
            let names = names(of: command)
            guard !names.isEmpty, !word.hasPrefix("-"), word != "help" else { return }
            guard let next = command.configuration.subcommands.first(where: { name($0) == word }) else {
                throw ValidationError(
                    unknown(word, names, command == root ? name(root) : "\(name(root)) \(name(command))"))
            }
            command = next
        }
    }

    private static func unknown(_ word: String, _ names: [String], _ command: String) -> String {
        let meant = Misspelling.nearest(word, in: names).map { "did you mean '\($0)'?" }
        return "unknown command '\(word)'; \(meant ?? "'\(command) --help' lists the commands")"
    }

    private static func names(of command: any ParsableCommand.Type) -> [String] {
        command.configuration.subcommands.filter { $0.configuration.shouldDisplay }.map(name)
    }

    private static func name(_ command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? "\(command)".lowercased()
    }
}
