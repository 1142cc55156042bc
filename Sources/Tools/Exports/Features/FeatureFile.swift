// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Features
import SystemKit

/// The samples that a `FeatureFile` gives next.
struct FeatureBatch<Sample: FeatureSample> {
    let samples: [Sample]
    /// Time without samples lies before these.
    var followsGap = false
}

/// A recording that `FileFeatures` reads from its beginning, as samples of one kind.
protocol FeatureFile<Sample>: AnyObject {
    associatedtype Sample: FeatureSample
    init(_ file: RecordedFile) throws(FileError)
    /// Seconds east of UTC; nil where the file does not say: then its times are taken for UTC.
    var offset: Int? { get }
    var progress: Double { get }
    /// What was left out so far.
    var notes: [String] { get }
    /// Nil at the end.
    func next() throws(FileError) -> FeatureBatch<Sample>?
    /// Feeds samples to the features; returns the epochs that are complete.
    static func add(_ samples: [Sample], to run: inout FeatureRun<Sample>) -> [FeatureRow]
}

extension FeatureFile {
    var notes: [String] { [] }

    static func add(_ samples: [Sample], to run: inout FeatureRun<Sample>) -> [FeatureRow] {
        samples.flatMap { run.add($0) }
    }
}
