// SPDX-License-Identifier: Apache-2.0

/// Options of platforms on a command line with a parser that wants every option declared: each is carried to it
/// as `--platform-option NAME=VALUE`, which people never type. `PlatformOptions` of `studyd`'s commands reads
/// them. Pure.
package struct PlatformCommandLine: Sendable {
    /// The declared option, without its dashes.
    package static let carrier = "platform-option"

    private let options: [PlatformOption]

    package init(_ options: [PlatformOption]) { self.options = options }

    /// The words as the parser takes them; what follows `--` stays as it is. Throws
    /// `PlatformArgumentError` where a value is missing or one too many.
    package func carried(_ words: some Sequence<String>) throws -> [String] {
        var result: [String] = []
        var rest = Array(words)[...]
        while let word = rest.popFirst() {
            if word == "--" { return result + [word] + rest }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let option = options.first(where: { "--" + $0.name == parts[0] }) else {
                result.append(word)
                continue
            }
            result += ["--" + Self.carrier, try option.name + value(of: option, parts, &rest)]
        }
        return result
    }

    /// The option's value after a `=`, taken from `rest` where it is a word of its own; empty for a switch.
    private func value(
        of option: PlatformOption, _ parts: [String], _ rest: inout ArraySlice<String>
    ) throws -> String {
        guard let placeholder = option.value else {
            guard parts.count == 1 else { throw PlatformArgumentError("The flag '--\(option.name)' takes no value") }
            return ""
        }
        if parts.count == 2 { return "=" + parts[1] }
        guard let next = rest.first, !next.hasPrefix("-") else {
            throw PlatformArgumentError("Missing value for '--\(option.name) <\(placeholder)>'")
        }
        rest.removeFirst()
        return "=" + next
    }

    /// What was carried, by its names.
    package static func arguments(_ carried: [String]) -> PlatformArguments {
        var arguments = PlatformArguments()
        for text in carried {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            arguments.add(parts[0], parts.count == 2 ? parts[1] : "")
        }
        return arguments
    }
}
