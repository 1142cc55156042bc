// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Features

/// `[features]` of `studyd.toml`: what `FeatureTap` computes from what is measured, while it is recorded.
package struct FeatureSettings: Sendable, Hashable {
    package var epoch = Epoch.minute
    package var names = Set(FeatureCatalog.names)
    /// How long a file grows before the next one is begun.
    package var rotation = Duration.seconds(86_400)
    /// Epochs are also published, for live views.
    var isPublished = false
}

extension FeatureSettings {
    /// Without the key `is`, all features that the measures allow are computed.
    init(_ table: ConfigTable, of measures: [ConfiguredMeasure]) throws {
        let text = try table.string("epoch") ?? "60s"
        guard let length = try? Duration(parsing: text), let epoch = Epoch(length) else {
            throw table.error("epoch", "'\(text)' is no length of an epoch; use \(Epoch.allowed)")
        }
        let rotation = try table.duration("rotate", .seconds(60) ... .seconds(86_400), "from 1m to 24h")
        self.init(epoch: epoch, names: try Self.names(table, of: measures), rotation: rotation ?? .seconds(86_400))
    }

    private static func names(_ table: ConfigTable, of measures: [ConfiguredMeasure]) throws -> Set<String> {
        let possible = FeatureCatalog.all.filter { entry in measures.contains { entry.isMade(of: $0) } }
        guard let names = try table.strings("is") else { return Set(possible.map(\.name)) }
        guard !names.isEmpty else { throw table.error("is", "names no feature", remedy: "remove it for all of them") }
        for name in names {
            guard let entry = FeatureCatalog.all.first(where: { $0.name == name }) else {
                throw table.error(
                    "is", "'\(name)' is no feature; use \(FeatureCatalog.names.joined(separator: ", "))")
            }
            guard possible.contains(where: { $0.name == name }) else {
                throw table.error(
                    "is", "\(name) needs \(entry.needs), which the configuration does not measure",
                    remedy: "add a [[measure]] with \(entry.measure), or remove \(name)")
            }
        }
        return Set(names)
    }
}

extension FeatureEntry {
    fileprivate func isMade(of measure: ConfiguredMeasure) -> Bool {
        switch maker {
        case .motion: measure.channel == .accelerometer
        case .levels: measure.channel == .sound && measure.format == .levels
        case .positions: measure.channel == .position
        }
    }

    /// As the configuration has it.
    fileprivate var measure: String {
        switch maker {
        case .motion: "channel = \"accelerometer\""
        case .levels: "channel = \"sound\" and format = \"levels\""
        case .positions: "channel = \"position\""
        }
    }
}
