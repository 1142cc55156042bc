// SPDX-License-Identifier: Apache-2.0

extension ExportCatalog {
    /// A new exporter adds its line here.
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
        XDFExporter(.motion),
        XDFExporter(.sentences),
        XDFExporter(.table),
    ])
}
