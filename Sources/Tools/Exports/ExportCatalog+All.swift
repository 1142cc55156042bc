// SPDX-License-Identifier: Apache-2.0

extension ExportCatalog {
    /// A new exporter adds its line here.
    package static let standard = ExportCatalog([
        CWACSVExporter(),
        EDFExporter(),
        SageJSONExporter(content: .motion),
        PositionCSVExporter(),
        GPXExporter(),
        SageJSONExporter(content: .sentences),
        WAVExporter(),
        TextExporter(),
        SageJSONExporter(content: .table),
        BIDSExporter(),
        ButtonEDFExporter(),
        XDFExporter(.motion),
        XDFExporter(.sentences),
        XDFExporter(.table),
    ])
}
