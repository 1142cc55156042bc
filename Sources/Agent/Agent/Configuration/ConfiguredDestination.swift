// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformKit

/// A destination that the configuration names, and what it is sent: a table `[[destination]]`, in
/// `AgentConfiguration.destinations`.
package struct ConfiguredDestination: Sendable {
    package let takes: DestinationIntake
    package let destination: any Destination

    package init(_ destination: any Destination, takes: DestinationIntake) {
        (self.destination, self.takes) = (destination, takes)
    }

    /// Recordings to a server that speaks tus: the short form `[upload] recordings`.
    package static func recordings(to url: String) -> Self {
        Self(TusDestination(name: TusDestination.labName, endpoint: url), takes: .recordings)
    }

    /// Where destinations keep their own files: a folder in the state folder.
    package static func folder(in state: String) -> String { state + "/destinations" }

    /// Makes a destination of that kind; what it refuses is reported with the table's line and key.
    private init(_ kind: any DestinationKind.Type, _ settings: DestinationSettings, of table: ConfigTable) throws {
        do throws(DestinationSettingError) {
            self.init(try kind.init(settings), takes: settings.takes)
        } catch {
            throw table.error(error.key, error.cause, remedy: error.remedy)
        }
    }
}

extension ConfiguredDestination {
    /// `[upload] recordings`, and the tables `[[destination]]` in their order. `platforms` are
    /// the names of studies' servers, which no destination may have.
    static func all(
        _ root: ConfigTable, _ upload: ConfigTable?, _ catalog: DestinationCatalog, besides platforms: [String],
        state: String
    ) throws -> [Self] {
        var all: [Self] = []
        if let upload, let url = try upload.string("recordings") {
            all.append(.recordings(to: try upload.address("recordings", url)))
        }
        for table in try root.tables("destination") {
            let found = try Self(table, catalog, state)
            let name = found.destination.name
            guard !platforms.contains(name), !all.contains(where: { $0.destination.name == name }) else {
                throw table.error("name", "'\(name)' is already used", remedy: "give each destination its own name")
            }
            all.append(found)
        }
        return all
    }

    private init(_ table: ConfigTable, _ catalog: DestinationCatalog, _ state: String) throws {
        let named = try table.required("kind", table.string("kind"))
        guard let kind = catalog[named] else {
            throw table.error("kind", "'\(named)' is not one of: \(catalog.names.joined(separator: ", "))")
        }
        let takes = try table.required("takes", table.choice("takes", DestinationIntake.self))
        guard kind.takes.covers(takes) else {
            throw table.error("takes", "a destination of kind '\(named)' takes \(kind.takes.rawValue) only")
        }
        var values: [String: DestinationSettings.Value] = [:]
        for key in kind.keys { values[key.name] = try table.value(of: key) }
        let name = try Self.name(table) ?? named
        let settings = DestinationSettings(name: name, takes: takes, values: values, folder: Self.folder(in: state))
        try self.init(kind, settings, of: table)
    }

    private static func name(_ table: ConfigTable) throws -> String? {
        guard let name = try table.string("name") else { return nil }
        let isPlain = name.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
        guard !name.isEmpty, name.utf8.count <= 40, isPlain else {
            throw table.error("name", "'\(name)' is not a name of 1 to 40 lower-case letters, digits and hyphens")
        }
        return name
    }
}

extension ServerSettings {
    /// The lab's receiver, of the table `[report]`.
    init(report table: ConfigTable) throws {
        var values: [String: DestinationSettings.Value] = [:]
        for key in Self.keys { values[key.name] = try table.value(of: key) }
        do throws(DestinationSettingError) {
            try self.init(DestinationSettings(name: "report", takes: .both, values: values))
        } catch {
            throw table.error(error.key, error.cause, remedy: error.remedy)
        }
    }
}

extension ConfigTable {
    fileprivate func value(of key: DestinationKey) throws -> DestinationSettings.Value? {
        switch key.kind {
        case .text, .file, .secret: try string(key.name).map { .text($0) }
        case .address: try string(key.name).map { .text(try address(key.name, $0)) }
        case .duration(let range), .size(let range): try integer(key.name, in: range).map { .number($0) }
        }
    }

    func address(_ key: String, _ url: String) throws -> String {
        guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
            throw error(
                key, "'\(url)' is not an address", remedy: "use one that begins with https:// or http://")
        }
        guard PostAddress(url).problem == nil else {
            throw error(
                key, "'\(url)' has no host or port that can be one",
                remedy: "write it like https://lab.example.org:8080/files")
        }
        return url
    }
}

extension DestinationIntake {
    var words: String {
        switch self {
        case .answers: "answers are sent"
        case .recordings: "recordings are sent"
        case .both: "answers and recordings are sent"
        }
    }
}
