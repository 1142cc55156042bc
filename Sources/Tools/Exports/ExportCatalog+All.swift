// SPDX-License-Identifier: Apache-2.0

extension ExportCatalog {
    /// One line each.
    package static let standard = ExportCatalog([
        CWACSVExporter(),
        EDFExporter(),
        SageJSONMotion(content: .motion),
        PositionCSVExporter(),
        GPXExporter(),
        SageJSONLocation(),
        WAVExporter(),
        TextExporter(),
        SageJSONMotion(content: .table),
        BIDSExporter(),
        ButtonEDFExporter(),
    ])
}
