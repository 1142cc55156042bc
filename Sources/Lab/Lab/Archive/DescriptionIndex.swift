// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// When a participant's recordings were made. Descriptions (the `.json` beside each recording) are entered into
/// a table as they arrive; those that an older version received, without the table, are read here, once.
/// `PageRoutes` and `LabTables` ask it.
struct DescriptionIndex: Sendable {
    let archive: Archive
    let folder: UploadFolder

    /// Descriptions that one call reads, at most.
    var most = 500

    private static let largest = 4 << 20
    /// Recordings that one call returns, at most.
    static let limit = 20_000

    /// The participant's recordings in that time, oldest first; of more than `limit` the latest. Reads the newest
    /// descriptions that have not been read, and notes them; what is left is read by the next calls.
    func spans(
        of user: String, from: Instant = .epoch, to: Instant = .distantFuture, limit: Int = Self.limit
    ) async throws -> [RecordedSpan] {
        _ = try await readNew(of: user)
        return try await archive.recorded(of: user, from: from, to: to, limit: limit)
    }

    /// All of them, or those of `study`; throws 413 where there are more than `limit`, and 503 where
    /// descriptions are left to be read.
    func allSpans(
        of user: String, in study: String? = nil, from: Instant, to: Instant, limit: Int = LabTables.limit
    ) async throws -> [RecordedSpan] {
        guard try await readNew(of: user) else {
            throw HTTPFailure(
                503, "there are many recordings whose descriptions were not read before; some were read now: ask again",
                fields: ["Retry-After": "1"])
        }
        let spans = try await archive.recorded(of: user, in: study, from: from, to: to, limit: limit + 1)
        guard spans.count <= limit else { throw LabTables.tooMany(limit) }
        return spans
    }

    /// Returns false where some may be left.
    private func readNew(of user: String) async throws -> Bool {
        let unread = try await archive.unread(of: user, limit: most + 1)
        // What cannot be read is entered as nil, so that it is not tried again.
        for upload in unread.prefix(most) { try await archive.noteSpan(await readSpan(upload), of: upload) }
        return unread.count <= most
    }

    private func readSpan(_ upload: Upload) async -> RecordedSpan? {
        guard upload.length < Self.largest, let path = await folder.path(upload) else { return nil }
        return (try? BoundedFile.read(path, limit: Self.largest)).flatMap(RecordedSpan.init)
    }
}
