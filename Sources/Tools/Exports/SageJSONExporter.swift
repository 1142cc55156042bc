// SPDX-License-Identifier: Apache-2.0
import Device
import SystemKit

extension ExportFormat {
    /// The records of SageResearch's recorders.
    package static let sageJSON = ExportFormat(rawValue: "sage-json")
}

/// The records of SageResearch's recorders of motion and distance, which the device itself sends too.
struct SageJSONExporter: Exporter {
    /// Positions, CWA motion, or our CSV.
    let content: RecordedContent
    let format = ExportFormat.sageJSON

    func export(
        _ files: [RecordedFile], _ wanted: ExportOptions, to output: ExportOutput,
        progress: @escaping (Double) -> Void
    ) throws(FileError) -> [String] {
        if content == .sentences {
            try SageJSONLocationExporter.export(files, window: wanted.window, to: output, progress: progress)
            return []
        }
        return try SageJSONMotionExporter.export(files, window: wanted.window, to: output, progress: progress)
    }
}
