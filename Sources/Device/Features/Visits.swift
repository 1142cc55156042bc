// SPDX-License-Identifier: Apache-2.0
import Base

/// The feature visits of `FeatureCatalog`: how long the person had been at one place by the last position of
/// the epoch, and whether that is a visit, from 5 minutes on: 1 or 0. Where the place is, is not said.
struct Visits: Feature {
    let columns = [FeatureColumn("dwell", "s", decimals: 0), FeatureColumn("visit", "1", decimals: 0)]
    private var stays = StayPoints()
    private var dwells: EpochBins<Duration>

    init(_ epoch: Epoch) { dwells = EpochBins(epoch, .zero) }

    mutating func add(_ sample: PositionSample) {
        // Only the stay in progress matters here, not the one that ended.
        _ = stays.add(sample)
        let dwell = stays.dwell ?? .zero
        dwells.update(sample.time) { $0 = dwell }
    }

    mutating func take(_ epoch: Range<Instant>) -> [Double?] {
        guard let dwell = dwells.take(epoch.lowerBound) else { return [nil, nil] }
        return [dwell.seconds, dwell >= StayPoints.time ? 1 : 0]
    }
}
