// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc

/// The level of the epoch, and what that is: 0 quiet, 1 talk, 2 loud.
///
/// By the vocal efforts of ISO 9921:2003, annex A, as A-weighted levels at 1 m: relaxed 54 dB,
/// normal 60, raised 66, loud 72, very loud 78. Below 54 dB no one speaks to the wearer; from 72 on
/// one has to shout. Needs a calibrated microphone: levels re full scale have no state.
struct SoundState: Feature {
    static let (talk, loud) = (54.0, 72.0)
    let columns = [FeatureColumn("laeq", "dB", decimals: 2), FeatureColumn("sound", "1", decimals: 0)]
    private var energy: EpochBins<RunningMean>

    init(_ setting: LevelSetting) { energy = EpochBins(setting.epoch, RunningMean()) }

    mutating func add(_ sample: LevelSample) { energy.update(sample.time) { $0.add(pow(10, sample.level / 10)) } }

    mutating func take(_ epoch: Range<Instant>) -> [Double?] {
        let level = energy.take(epoch.lowerBound)?.value.map { 10 * log10($0) }
        return [level, level.map { $0 < Self.talk ? 0 : $0 < Self.loud ? 1 : 2 }]
    }
}
