// SPDX-License-Identifier: Apache-2.0
import Device
import SystemKit

/// Draws recordings of one content. Each plot is a type in a separate file and a line in
/// `RecordingPlot.standard`. `RecordingPlot` picks one for a file.
package protocol Plot: Sendable {
    var content: RecordedContent { get }
    /// The picture of one file, or of the part of it in `window`. `progress` gets the share that is
    /// done, 0...1.
    func page(
        _ source: RecordedFile, in window: PlotWindow?, progress: @escaping (Double) -> Void
    ) throws(FileError) -> PlotPage
}
