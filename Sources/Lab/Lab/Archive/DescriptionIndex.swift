// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// What the descriptions of recordings say that have arrived; each file is read once. Not on the
/// disk: after a start they are read again.
actor DescriptionIndex {
    private let folder: UploadFolder
    /// By number of the upload; nil for a file that is none.
    private var known: [Int64: RecordedSpan?] = [:]
    /// One page reads no more than these.
    private static let most = 500
    private static let largest = 4 << 20

    init(_ folder: UploadFolder) { self.folder = folder }

    /// The recordings that these uploads describe.
    func spans(of uploads: [Upload]) async -> [RecordedSpan] {
        var (spans, read): ([RecordedSpan], Int) = ([], 0)
        for upload in uploads where upload.sha256 != nil && upload.name.hasSuffix(".json") {
            if known[upload.number] == nil {
                guard read < Self.most else { break }
                read += 1
                known[upload.number] = .some(await look(upload))
            }
            if let span = known[upload.number] ?? nil { spans.append(span) }
        }
        return spans
    }

    private func look(_ upload: Upload) async -> RecordedSpan? {
        guard upload.length < Self.largest, let path = await folder.path(upload) else { return nil }
        return (try? BoundedFile.read(path, limit: Self.largest)).flatMap(RecordedSpan.init)
    }
}
