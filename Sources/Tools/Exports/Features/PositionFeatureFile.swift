// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Features
import SystemKit

/// The valid positions of an NMEA file, for `FileFeatures`.
final class PositionFeatureFile: FeatureFile {
    let offset: Int?
    private let track: NMEATrack

    init(_ file: RecordedFile) throws(FileError) {
        track = try NMEATrack([file])
        offset = file.description?.offsetSeconds
    }

    var progress: Double { track.progress }

    /// Tells no gaps: the only feature of positions, visits, allows for a quarter of an hour without.
    func next() throws(FileError) -> FeatureBatch<PositionSample>? {
        while let epoch = try track.next() {
            guard let time = epoch.time, let (latitude, longitude) = epoch.position else { continue }
            return FeatureBatch(samples: [PositionSample(time: time, latitude: latitude, longitude: longitude)])
        }
        return nil
    }
}
