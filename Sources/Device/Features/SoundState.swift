// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc

/// The feature sound of `FeatureCatalog`: the sound level of the epoch (LAeq), and its class: 0 quiet, 1 talk,
/// 2 loud.
///
/// Limits by what Pearsons, Bennett and Fidell measured in 1977 (EPA-600/1-77-025; Olsen 1998,
/// doi:10.1044/1059-0889(1998/012)): at the distance of a conversation speech has 55 to 66 dB(A) in
/// homes, schools, hospitals and shops, and 73 to 77 in trains and aircraft, which are as loud. No
/// standard says where quiet ends: for other limits there is `laeq`. Gets calibrated
/// levels only: `SampleRecorder.mirrorLevels` and `LevelFeatureFile` give no others.
struct SoundState: Feature {
    static let (talk, loud) = (55.0, 73.0)
    let columns = [FeatureColumn("laeq", "dB", decimals: 2), FeatureColumn("sound", "1", decimals: 0)]
    /// Means of 10^(level / 10): levels are averaged as energy.
    private var energy: EpochBins<RunningMean>

    init(_ epoch: Epoch) { energy = EpochBins(epoch, RunningMean()) }

    mutating func add(_ sample: LevelSample) { energy.update(sample.time) { $0.add(pow(10, sample.level / 10)) } }

    mutating func take(_ epoch: Range<Instant>) -> [Double?] {
        let level = energy.take(epoch.lowerBound)?.value.map { 10 * log10($0) }
        return [level, level.map { $0 < Self.talk ? 0 : $0 < Self.loud ? 1 : 2 }]
    }
}
