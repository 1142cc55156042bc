// SPDX-License-Identifier: Apache-2.0
import Base

@testable import Features

/// The mean of | |a| − 1 g |: GGIR's ENMOa, which counts what is below 1 g, too.
struct ENMOa: Feature {
    let columns = [FeatureColumn("enmoa", "g", decimals: 5)]
    private var means: EpochBins<RunningMean>

    init(_ setting: MotionSetting) { means = EpochBins(setting.epoch, RunningMean()) }

    mutating func add(_ sample: MotionSample) { means.update(sample.time) { $0.add(abs(sample.norm - 1)) } }

    mutating func take(_ epoch: Range<Instant>) -> [Double?] { [means.take(epoch.lowerBound)?.value] }
}
