// SPDX-License-Identifier: Apache-2.0
import Base

/// What features of acceleration are made with.
package struct MotionSetting: Sendable, Hashable {
    package let epoch: Epoch
    /// Samples per second, nominally.
    package let rate: Double

    package init(epoch: Epoch, rate: Double) { (self.epoch, self.rate) = (epoch, rate) }
}

/// What features of sound levels are made with; there is one level a second.
package struct LevelSetting: Sendable, Hashable {
    package let epoch: Epoch

    package init(epoch: Epoch) { self.epoch = epoch }
}

/// What features of positions are made with.
package struct PositionSetting: Sendable, Hashable {
    package let epoch: Epoch
    /// Fixes per second, nominally.
    package let rate: Double

    package init(epoch: Epoch, rate: Double = 1) { (self.epoch, self.rate) = (epoch, rate) }
}

/// A feature by its name, and how to make it.
package struct FeatureEntry: Sendable {
    /// Makes the feature for the samples it takes; returns nil where it cannot be computed with the
    /// setting, such as too low a rate.
    package enum Maker: Sendable {
        case motion(@Sendable (MotionSetting) -> (any Feature<MotionSample>)?)
        case levels(@Sendable (LevelSetting) -> (any Feature<LevelSample>)?)
        case positions(@Sendable (PositionSetting) -> (any Feature<PositionSample>)?)
    }
    /// As configuration and rules name it.
    package let name: String
    package let title: String
    package let maker: Maker

    /// What it is computed from, for messages.
    package var needs: String {
        switch maker {
        case .motion: "acceleration"
        case .levels: "sound levels in dB, of a calibrated microphone"
        case .positions: "positions"
        }
    }

    /// The feature's columns; nil where it cannot be computed with this epoch. Asks at 100 Hz, since columns
    /// do not depend on the rate.
    package func columns(_ epoch: Epoch) -> [FeatureColumn]? {
        switch maker {
        case .motion(let make): make(MotionSetting(epoch: epoch, rate: 100))?.columns
        case .levels(let make): make(LevelSetting(epoch: epoch))?.columns
        case .positions(let make): make(PositionSetting(epoch: epoch))?.columns
        }
    }
}

/// All features there are.
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

    package static func levels(_ names: Set<String>, _ setting: LevelSetting) -> [any Feature<LevelSample>] {
        all.filter { names.contains($0.name) }.compactMap {
            if case .levels(let make) = $0.maker { make(setting) } else { nil }
        }
    }

    package static func positions(_ names: Set<String>, _ setting: PositionSetting) -> [any Feature<PositionSample>] {
        all.filter { names.contains($0.name) }
            .compactMap { if case .positions(let make) = $0.maker { make(setting) } else { nil } }
    }
}
