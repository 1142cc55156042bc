// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Platforms
import Study

/// Options that belong to one platform, listed by the catalog, for commands that read a study. The parser of
/// the command line wants every option declared: it gets each of these as `--platform-option NAME=VALUE`, which
/// people never type.
struct PlatformOptions: ParsableArguments {
    @Option(name: .customLong(PlatformCommandLine.carrier), help: .hidden)
    var given: [String] = []

    func validate() throws { _ = try arguments() }

    /// The given options by name; throws where one means nothing to its platform.
    func arguments() throws -> PlatformArguments {
        let arguments = PlatformCommandLine.arguments(given)
        try Self.refusing { try PlatformCatalog.standard.check(arguments) }
        return arguments
    }

    /// Turns a platform's refusal of an option into an error of usage (exit code 2).
    static func refusing<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as PlatformArgumentError { throw ValidationError(error.description) }
    }

    static func names(_ separator: String) -> String { PlatformCatalog.standard.names.joined(separator: separator) }

    /// For the help of a command of these scopes: a paragraph for each platform that has options
    /// there, empty where none has.
    static func help(_ scopes: Set<PlatformOption.Scope>) -> String {
        let lines = PlatformCatalog.standard.options(scopes).map { option in
            "  --\(option.name)\(option.value.map { " <\($0)>" } ?? "")\n          \(option.help)"
        }
        return lines.isEmpty ? "" : "\n\nOptions of platforms:\n" + lines.joined(separator: "\n")
    }

    /// The command line with each platform's option rewritten as `--platform-option NAME=VALUE`. That of
    /// commands that take no study stays as it is.
    static func carried(_ words: [String]) throws -> [String] {
        guard let command = words.first, let scopes = scopes[command] else { return words }
        let line = PlatformCommandLine(PlatformCatalog.standard.options(scopes))
        return try refusing { try line.carried(words) }
    }

    private static let scopes: [String: Set<PlatformOption.Scope>] = [
        "enroll": [.reading, .enrolling], "validate": [.reading], "cards": [.reading],
        "plan": [.reading, .planning], "simulate": [.reading, .planning],
    ]
}
