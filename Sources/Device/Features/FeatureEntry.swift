// SPDX-License-Identifier: Apache-2.0

/// A feature by its name, and how to make it: a line of `FeatureCatalog`.
package struct FeatureEntry: Sendable {
    /// Makes the feature for the samples it takes: acceleration at a rate, one level a second, or fixes. Returns nil
    /// where it cannot be computed, such as at too low a rate.
    package enum Maker: Sendable {
        case motion(@Sendable (MotionSetting) -> (any Feature<MotionSample>)?)
        case levels(@Sendable (Epoch) -> (any Feature<LevelSample>)?)
        case positions(@Sendable (Epoch) -> (any Feature<PositionSample>)?)
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
        case .levels(let make): make(epoch)?.columns
        case .positions(let make): make(epoch)?.columns
        }
    }
}
