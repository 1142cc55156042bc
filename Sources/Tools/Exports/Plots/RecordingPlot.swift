// SPDX-License-Identifier: Apache-2.0
import Device
import SystemKit

/// Draws one recording file: for `studyd-tools plot`.
package enum RecordingPlot {
    /// A new plot adds its line here.
    package static let standard: [any Plot] = [
        MotionPlot(),
        SoundPlot(),
        TrackPlot(),
        TablePlot(),
    ]

    /// Writes the picture of `path` as SVG and finishes the output. `progress` gets the share
    /// that is done, 0...1.
    package static func run(
        _ path: String, in window: PlotWindow? = nil, to output: () throws(FileError) -> ExportOutput,
        progress: @escaping (Double) -> Void
    ) throws(FileError) {
        let page = try page(RecordedFile(path), in: window, progress: progress)
        let output = try output()
        page.write(to: output)
        try output.finish()
    }

    static func page(
        _ source: RecordedFile, by plots: [any Plot] = standard, in window: PlotWindow? = nil,
        progress: @escaping (Double) -> Void
    ) throws(FileError) -> PlotPage {
        guard let plot = plots.first(where: { $0.content == source.content }) else {
            throw source.refusal("is \(source.content.title), which cannot be plotted")
        }
        return try plot.page(source, in: window, progress: progress)
    }
}
