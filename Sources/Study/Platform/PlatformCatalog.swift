// SPDX-License-Identifier: Apache-2.0
import Base

/// The platforms that this program understands, each set up from its table of the configuration
/// (`AgentConfiguration.platforms`). The target `Platforms` lists them.
package struct PlatformCatalog: Sendable {
    /// In the order in which they are asked whether a study is theirs.
    package let all: [any StudyPlatform]

    /// Platforms of these kinds, as without a configuration.
    package init(_ kinds: [any StudyPlatform.Type]) { all = kinds.map { $0.init() } }

    /// Platforms of these kinds; `table` gives the table of that name, nil where the
    /// configuration has none.
    package init(_ kinds: [any StudyPlatform.Type], table: (String) throws -> (any SettingsTable)?) throws {
        all = try kinds.map { kind in
            guard let name = kind.table, let found = try table(name) else { return kind.init() }
            return try kind.init(found)
        }
    }

    package subscript(name: PlatformName) -> (any StudyPlatform)? { all.first { $0.name == name } }

    /// Every name, in the order of the catalog.
    package var names: [String] { all.map(\.name.rawValue) }

    /// Options of all, in the order of the catalog, that belong to commands of these scopes.
    package func options(_ scopes: Set<PlatformOption.Scope>) -> [PlatformOption] {
        all.flatMap { type(of: $0).options }.filter { scopes.contains($0.scope) }
    }

    /// Throws `PlatformArgumentError` where an option was given that means nothing to its platform.
    package func check(_ arguments: PlatformArguments) throws {
        for platform in all { _ = try platform.choices(arguments) }
    }

    /// The platform of the study: the one of that name, else the first that recognises it.
    package func platform(
        of source: StudySource, named name: PlatformName? = nil
    ) throws(StudyFormatError) -> any StudyPlatform {
        let found = all.first { name == nil ? $0.reader.recognises(source) : $0.name == name }
        if let found { return found }
        // Where none recognises them, because one is not JSON, its line helps more than the platforms' names.
        let isAlone = source.files.count == 1
        for file in source.files where name == nil {
            _ = try JSONNode(study: file.bytes, in: isAlone ? nil : file.name)
        }
        throw StudyFormatError(
            path: "$", line: nil, expected: "a study of one of these platforms: \(names.joined(separator: ", "))",
            found: name.map { "the platform \($0)" }
                ?? (isAlone ? "a file none of them recognises" : "files none of them recognises"))
    }

    /// Reads and validates a study.
    package func decode(_ source: StudySource, as name: PlatformName? = nil) throws(StudyFormatError) -> StudyProtocol {
        try platform(of: source, named: name).reader.decode(source)
    }

    /// The platform that is surest of being meant by a request; nil = none of them: the study is a
    /// file. With a name only that one is asked.
    package func claimant(of request: JoinRequest, named name: PlatformName? = nil) -> (any StudyPlatform)? {
        let asked = all.filter { name == nil || $0.name == name }
        guard let best = asked.map({ $0.claim(request) }).max(), best != .none else { return nil }
        return asked.first { $0.claim(request) == best }
    }
}
