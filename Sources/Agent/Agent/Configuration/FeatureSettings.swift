// SPDX-License-Identifier: Apache-2.0
import Base
import Features

/// `[features]` of `studyd.toml`: what is computed from the acceleration while it is recorded.
package struct FeatureSettings: Sendable, Hashable {
    package let epoch: Epoch
    /// Names of the catalog.
    package let names: Set<String>
    /// How long a file grows before the next one is begun.
    package let rotation: Duration

    package init(epoch: Epoch = .minute, names: Set<String> = Self.all, rotation: Duration = .seconds(86_400)) {
        (self.epoch, self.names, self.rotation) = (epoch, names, rotation)
    }

    /// All that acceleration gives.
    package static let all = Set(names)

    private static let names = FeatureCatalog.all.filter { if case .motion = $0.maker { true } else { false } }
        .map(\.name)

    init(_ table: ConfigTable) throws {
        let text = try table.string("epoch") ?? "60s"
        guard let length = try? Duration(parsing: text), let epoch = Epoch(length) else {
            throw table.error("epoch", "'\(text)' is no length of an epoch; use \(Epoch.allowed)")
        }
        let names = try table.strings("is") ?? Self.names
        for name in names where !Self.all.contains(name) {
            throw table.error(
                "is", "'\(name)' is not computed on a device; use \(Self.names.joined(separator: ", "))")
        }
        guard !names.isEmpty else { throw table.error("is", "names no feature", remedy: "remove it for all of them") }
        let rotate = try table.string("rotate") ?? "24h"
        guard let rotation = try? Duration(parsing: rotate), rotation >= .seconds(60), rotation <= .seconds(86_400)
        else { throw table.error("rotate", "'\(rotate)' is not a duration from 1m to 24h") }
        self.init(epoch: epoch, names: Set(names), rotation: rotation)
    }
}
