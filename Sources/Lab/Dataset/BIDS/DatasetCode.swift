// SPDX-License-Identifier: Apache-2.0

/// What lies in a dataset's `code`: programs that draw it from its files alone, and the table for a paper.
/// `BIDSExport` and `DatasetExport` write it.
enum DatasetCode {
    /// Without `hasMinutes` the table alone: the programs draw what recordings say minute by minute.
    static func write(to folder: DatasetFolder, _ reporting: ReportingTable, hasMinutes: Bool = true) throws {
        try folder.write(reporting.text, to: "code/reporting.md")
        guard hasMinutes else { return }
        try folder.write(String(decoding: PackageResources.figures_R, as: UTF8.self), to: "code/figures.R")
        try folder.write(String(decoding: PackageResources.figures_ipynb, as: UTF8.self), to: "code/figures.ipynb")
    }
}
