// SPDX-License-Identifier: Apache-2.0
import Base

/// All features there are, by the names in studyd.toml's `[features]`, in rules and in `studyd-tools features`.
package enum FeatureCatalog {
    /// A new feature adds its line here.
    package static let all = [
        FeatureEntry(name: "enmo", title: "Euclidean norm minus one", maker: .motion { ENMO($0) }),
        FeatureEntry(name: "mad", title: "mean amplitude deviation", maker: .motion { MAD($0) }),
        FeatureEntry(name: "anglez", title: "angle of the z axis", maker: .motion { AngleZ($0) }),
        FeatureEntry(name: "agcounts", title: "ActiGraph's activity counts", maker: .motion { ActivityCounts($0) }),
        FeatureEntry(name: "wear", title: "whether the device was worn", maker: .motion { Wear($0) }),
        FeatureEntry(name: "sound", title: "quiet, talk or loud", maker: .levels { SoundState($0) }),
        FeatureEntry(name: "visits", title: "time at one place", maker: .positions { Visits($0) }),
    ]

    package static let names = all.map(\.name)

    /// Makes those of these names that the setting allows, in the catalog's order.
    package static func motion(_ names: Set<String>, _ setting: MotionSetting) -> [any Feature<MotionSample>] {
        all.filter { names.contains($0.name) }.compactMap {
            if case .motion(let make) = $0.maker { make(setting) } else { nil }
        }
    }

    package static func levels(_ names: Set<String>, _ epoch: Epoch) -> [any Feature<LevelSample>] {
        all.filter { names.contains($0.name) }.compactMap {
            if case .levels(let make) = $0.maker { make(epoch) } else { nil }
        }
    }

    package static func positions(_ names: Set<String>, _ epoch: Epoch) -> [any Feature<PositionSample>] {
        all.filter { names.contains($0.name) }.compactMap {
            if case .positions(let make) = $0.maker { make(epoch) } else { nil }
        }
    }
}
