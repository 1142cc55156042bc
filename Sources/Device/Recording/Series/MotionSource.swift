// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// One or several CWA files of one measure, in the order of time, and the part of them that is wanted. Exports,
/// features and the lab make one.
package struct MotionSource {
    package let files: [RecordedFile]
    let window: ExportWindow
    /// The files that are left out, each with why.
    package let notes: [String]
    /// Times since booting mean something: all files are of one boot.
    package let isOneBoot: Bool

    /// These files, of which there is at least one. Throws where one holds something else or has
    /// another rate or other axes.
    package init(_ files: [RecordedFile], window: ExportWindow = .all) throws(FileError) {
        var starts: [(file: RecordedFile, start: Instant)] = []
        // All files must fit the first; those without an intact block are left out.
        var first: FileForm?
        var empty: [(path: String, reason: String)] = []
        for file in files {
            guard file.content == .motion else {
                throw .format(
                    path: file.file.path,
                    problem: "is \(file.content.title), but the first file is CWA motion; export them separately")
            }
            let timeline = try CWATimeline(file)
            guard let timed = try timeline.next() else {
                empty.append((file.file.path, timeline.emptiness))
                continue
            }
            let form = FileForm(timed.block, timeline.reader.header)
            if let problem = form.misfit(with: first ?? form) { throw .format(path: file.file.path, problem: problem) }
            first = first ?? form
            let offset = MotionSeries.offset(timeline.reader.header, file.description) ?? 0
            starts.append((file, timed.start - .seconds(offset)))
        }
        self.files = starts.sorted { $0.start < $1.start }.map(\.file)
        self.window = window
        isOneBoot = Set(files.map { $0.description?.bootID }).count == 1
        notes = empty.map { "\($0.path): left out, since it \($0.reason)" }
        if self.files.isEmpty {
            throw .format(
                path: empty.first?.path ?? "",
                problem: "\(empty.first?.reason ?? "has no intact block"), so there is nothing to export")
        }
    }

    package func open() throws(FileError) -> MotionSeries { try MotionSeries(self) }
}

/// What all files of a source must have in common.
private struct FileForm {
    let rate: Double
    let axes: Int
    /// Its times count from the boot.
    let isUptime: Bool

    init(_ block: CWABlock, _ header: CWAHeader?) {
        (rate, axes) = (block.rate, block.packing.axes)
        isUptime = header?["clock"] == "uptime"
    }

    /// Why a file of this form cannot be joined with the first; nil where it can.
    func misfit(with first: FileForm) -> String? {
        if rate != first.rate || axes != first.axes {
            return "has another rate or other axes than the first file; export them separately"
        }
        return isUptime == first.isUptime ? nil : "has no time of day, or the first file none; export them separately"
    }
}
