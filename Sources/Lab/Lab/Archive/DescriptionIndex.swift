// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// When a participant's recordings were made. Descriptions are entered into a table as they arrive; those that
/// an older version received, without the table, are read here, once.
struct DescriptionIndex: Sendable {
    let archive: Archive
    let folder: UploadFolder

    /// Descriptions that one call reads, at most.
    private static let most = 500
    private static let largest = 4 << 20
    /// Recordings that one call returns, at most.
    static let limit = 20_000

    /// The participant's recordings in that time, oldest first; of more than `limit` the latest. Reads
    /// descriptions that have not been read, and notes them.
    func spans(
        of user: String, from: Instant = .epoch, to: Instant = .distantFuture, limit: Int = Self.limit
    ) async throws -> [RecordedSpan] {
        for upload in try await archive.unread(of: user, limit: Self.most) {
            // What cannot be read is entered as nil, so that it is not tried again.
            try await archive.noteSpan(await readSpan(upload), of: upload)
        }
        return try await archive.recorded(of: user, from: from, to: to, limit: limit)
    }

    /// All of them; throws 413 where there are more than `limit`.
    func allSpans(
        of user: String, from: Instant, to: Instant, limit: Int = LabTables.limit
    ) async throws -> [RecordedSpan] {
        let spans = try await spans(of: user, from: from, to: to, limit: limit + 1)
        guard spans.count <= limit else { throw LabTables.tooMany(limit) }
        return spans
    }

    private func readSpan(_ upload: Upload) async -> RecordedSpan? {
        guard upload.length < Self.largest, let path = await folder.path(upload) else { return nil }
        return (try? BoundedFile.read(path, limit: Self.largest)).flatMap(RecordedSpan.init)
    }
}

extension Instant {
    /// In 2255, shortly before an `Instant` ends.
    static let distantFuture = Instant(seconds: 9_000_000_000)
}
