// SPDX-License-Identifier: Apache-2.0

/// What the numbers in a file are: its own channels, and its own rate where samples were resampled.
public struct FileLayout: Sendable, Hashable {
    /// The file's channels in the file's order: units per number in the file.
    public var channels: [RecordingDescription.ChannelNote]
    /// What the format's fields beside the samples hold; nil for formats without them.
    public var fields: RecordingDescription.FieldNotes?
    /// Samples per second that the file names, where the source's were resampled to it; nil = as the source.
    public var resampledRate: Double?

    public init(
        channels: [RecordingDescription.ChannelNote], fields: RecordingDescription.FieldNotes? = nil,
        resampledRate: Double? = nil
    ) {
        self.channels = channels
        self.fields = fields
        self.resampledRate = resampledRate
    }

    /// Samples of the file per sample of a source of that rate.
    func ratio(to sourceRate: Double) -> Double { resampledRate.map { $0 / max(sourceRate, 1e-3) } ?? 1 }
}

/// What is measured about the device while it records. Absent = nobody measured it, which is never written as a number that could be one.
public struct Surroundings: Sendable, Hashable {
    /// Volts of the board's battery.
    public var battery: Double?

    public init(battery: Double? = nil) { self.battery = battery }
}
