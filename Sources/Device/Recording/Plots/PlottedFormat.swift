// SPDX-License-Identifier: Apache-2.0

/// A format with a content of its own, which brings its picture.
protocol PlottedFormat: FormatKind {
    /// The picture of one file. `progress` gets the share that is done, 0...1.
    func page(_ source: RecordedFile, progress: (Double) -> Void) throws(RecordingError) -> PlotPage
}

extension PlotPage {
    /// The picture of a file whose format brings one; throws where it does not.
    package static func own(_ source: RecordedFile, progress: (Double) -> Void) throws(RecordingError) -> PlotPage {
        guard let kind = source.kind as? any PlottedFormat else {
            throw .format(
                path: source.file.path, problem: "is \(source.content.title), which cannot be plotted")
        }
        return try kind.page(source, progress: progress)
    }
}
