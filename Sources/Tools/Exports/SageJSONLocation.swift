// SPDX-License-Identifier: Apache-2.0
import Device
import SystemKit

/// Positions as the records of SageResearch's distance recorder, which the device itself sends too.
struct SageJSONLocation: Exporter {
    let content = RecordedContent.sentences
    let format = ExportFormat.sageJSON

    func export(
        _ files: [RecordedFile], _ wanted: ExportOptions, to output: ExportOutput,
        progress: @escaping (Double) -> Void
    ) throws(FileError) -> [String] {
        try SageJSONLocationExporter.export(files, window: wanted.window, to: output, progress: progress)
        return []
    }
}
