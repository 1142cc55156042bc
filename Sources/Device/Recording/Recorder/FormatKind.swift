// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Everything about one form in which measures are kept: one file (or folder), and one line in
/// `RecordingFormats+All.swift`.
///
/// A kind is a value without memory. What writes a file is its encoder; the rest is for files that
/// exist: those that a power cut ended, those that were begun before the clock was known, and
/// foreign ones to be inspected.
protocol FormatKind: Sendable {
    /// What turns frames into its bytes.
    associatedtype Encoder: SegmentEncoder
    /// Its name in descriptions.
    var format: RecordingFormat { get }
    /// Its name in `studyd.toml`.
    var configuredName: String { get }
    /// What it is called in messages: `CWA`.
    var title: String { get }
    /// What may be kept so; the first of the catalog that may is taken where the configuration says
    /// nothing.
    var measures: [MeasureKind] { get }
    /// True where a file is worth compressing on its way to a server.
    var shrinks: Bool { get }
    /// True where a file is gzipped when it is sealed.
    var isGzipped: Bool { get }
    /// True for text, which is recognised by its lines and may be gzipped; else by its first bytes.
    var isText: Bool { get }
    /// What lies in such a file, for exports and plots.
    var content: RecordedContent { get }

    /// The encoder of a measure. Throws where the format cannot hold what the source brings.
    func encoder(_ source: SourceDescription, _ measure: MeasureConfiguration) throws(FileError) -> Encoder

    /// Recovery: how much of a file that is being written, or was cut, is whole.
    func survey(_ file: File, _ draft: RecordingDescription) throws(FileError) -> SegmentSurvey

    /// Retiming: puts the wall times of a file right that was begun before the clock was known.
    /// Doing it twice does no harm.
    func retime(
        _ name: String, in folder: DiskFolder, by anchor: ClockAnchor, zone: Zone
    ) throws(FileError)

    /// Inspection: whether a file that starts with these bytes, 64 at most, is one, ours or another
    /// program's.
    func recognises(start: [UInt8]) -> Bool
    /// Whether this line, one of a file's first, says that it is one; `isStrict` where nothing but
    /// our own form counts.
    func recognises(line: ArraySlice<UInt8>, isStrict: Bool) -> Bool
    /// Whether what is after a damaged beginning still says that it is one.
    func recognises(behindDamageIn file: File) throws(FileError) -> Bool
    /// The summary of a file without a description; nil = by its lines, as those of all texts.
    func summary(of file: File, _ name: String) throws(FileError) -> RecordingSummary?
    /// Whether the file itself is whole, and how it differs from its description.
    func check(
        _ file: File, isCompressed: Bool, _ description: RecordingDescription?, _ found: inout ContentCheck
    ) throws(FileError)
}

extension FormatKind {
    var configuredName: String { format.rawValue }
    var shrinks: Bool { false }
    var isGzipped: Bool { false }
    var isText: Bool { false }
    func retime(
        _ name: String, in folder: DiskFolder, by anchor: ClockAnchor, zone: Zone
    ) throws(FileError) {}
    func recognises(start: [UInt8]) -> Bool { false }
    func recognises(line: ArraySlice<UInt8>, isStrict: Bool) -> Bool { false }
    func recognises(behindDamageIn file: File) throws(FileError) -> Bool { false }
    func summary(of file: File, _ name: String) throws(FileError) -> RecordingSummary? { nil }

    /// The recorder of a measure; nil where the ring brings other frames than the encoder takes.
    func recorder(
        of input: RecorderInput, _ source: SourceDescription, _ measure: MeasureConfiguration,
        _ origin: RecordingOrigin, _ folder: RecordingFolder
    ) throws(FileError) -> (any SampleRecorder)? {
        guard let ring = input.ring(of: Encoder.Frame.self) else { return nil }
        return Recorder(
            ring: ring, encoder: try encoder(source, measure), source: source, measure: measure, origin: origin,
            folder: folder)
    }
}
