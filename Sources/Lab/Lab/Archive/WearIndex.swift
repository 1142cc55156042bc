// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// When participants wore their devices, by the recordings of features that have arrived; each is read once,
/// when `PageRoutes` or `LabTables` first asks for it.
struct WearIndex: Sendable {
    let archive: Archive
    let folder: UploadFolder

    private static let largest: Int64 = 16 << 20
    /// Files that one page reads, at most.
    var most = 200

    /// Wear by day of the device's clock, from those of these recordings that are features. A file
    /// that cannot be read counts for nothing. Not whole where older files are left for the next time.
    func days(in spans: [RecordedSpan]) async throws -> (days: [LocalDate: WornTime], isWhole: Bool) {
        let features = spans.filter { $0.kind == "features" }.compactMap { span in span.upload.map { ($0, span) } }
        var (days, left, isWhole) = ([LocalDate: WornTime](), most, true)
        for (number, span) in Dictionary(features, uniquingKeysWith: { one, _ in one }).sorted(by: { $0.key > $1.key })
        {
            var found = try await archive.worn(in: number)
            if found == nil, left == 0 { isWhole = false }
            if found == nil, left > 0 {
                left -= 1
                found = try await read(number, span)
                if let found { try await archive.noteWorn(found, in: number) }
            }
            days.merge(found ?? [:]) { $0 + $1 }
        }
        return (days, isWhole)
    }

    /// Nil where the disk fails, so that the file is tried again; empty where the file says nothing of wear.
    private func read(_ number: Int64, _ span: RecordedSpan) async throws -> [LocalDate: WornTime]? {
        guard let upload = try await archive.upload(number: number), upload.length <= Self.largest,
            let path = await folder.path(upload)
        else { return [:] }
        do { return try WornTime.days(of: path, named: upload.name, offset: span.offset) } catch {
            return (error as? FileError)?.operation == nil ? [:] : nil
        }
    }
}
