// SPDX-License-Identifier: Apache-2.0
import Device

/// Draws one recording file: for `studyd recordings plot`.
package enum RecordingPlot {
    /// Writes the picture of `path` as SVG and finishes the output. `progress` gets the share
    /// that is done, 0...1.
    package static func run(
        _ path: String, to output: () throws(RecordingError) -> ExportOutput, progress: @escaping (Double) -> Void
    ) throws(RecordingError) {
        let source = try RecordedFile(path)
        let page =
            switch source.content {
            case .motion: try MotionPlot.page(source, progress: progress)
            case .sound: try SoundPlot.page(source, progress: progress)
            case .sentences: try TrackPlot.page(source, progress: progress)
            case .table: try TablePlot.page(source, progress: progress)
            default: try PlotPage.own(source, progress: progress)
            }
        let output = try output()
        page.write(to: output)
        try output.finish()
    }
}
