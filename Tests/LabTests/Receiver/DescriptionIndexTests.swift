// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Testing

@testable import Lab

@Suite struct DescriptionIndexTests {
    /// docs/lab.md: more rows than a table holds are refused (413); a page has the latest.
    @Test func ofMoreRecordingsThanAreAskedForTheLatestAreGiven() async throws {
        try await withUploads { files, archive, _ in
            let index = DescriptionIndex(archive: archive, folder: files)
            for minute in 1...3 {
                let start = Instant(seconds: 1_780_000_000) + .seconds(60 * minute)
                let upload = try await archive.create(
                    Upload(
                        id: "\(minute)", user: "P1", kind: "", name: "\(minute).json", metadata: "{}", length: 1,
                        offset: 1, created: start, changed: start, expected: nil, mismatches: 0))
                let text =
                    #"{"kind":"sound","startDate":"\#(start.rfc3339())","endDate":"\#((start + .seconds(60)).rfc3339())","samplesStored":1,"relativePath":"\#(minute).flac"}"#
                try await archive.noteSpan(RecordedSpan(Array(text.utf8)), of: upload)
            }
            #expect(try await index.spans(of: "P1", limit: 2).map(\.file) == ["2.flac", "3.flac"])
            func all(_ limit: Int) async throws -> [String] {
                try await index.allSpans(of: "P1", from: .epoch, to: .distantFuture, limit: limit).map(\.file)
            }
            #expect(try await all(3) == ["1.flac", "2.flac", "3.flac"])
            let failure = await #expect(throws: HTTPFailure.self) { try await all(2) }
            #expect(failure?.status == 413)
        }
    }

    /// As after a new version, whose table lacks what an older one received.
    @Test(arguments: [(1, 2), (2, 1), (3, 0), (4, 0)]) func whileDescriptionsAreLeftToBeReadATableIsRefused(
        most: Int, refusals: Int
    ) async throws {
        try await withUploads { files, archive, folder in
            for number in 1...3 {
                let (name, now) = ("\(number).json", Instant(seconds: 1_780_000_000) + .seconds(60 * number))
                let text = Array(
                    #"{"kind":"sound","startDate":"\#(now.rfc3339())","endDate":"\#((now + .seconds(60)).rfc3339())","samplesStored":1,"relativePath":"\#(number).flac"}"#
                        .utf8)
                let upload = Upload(
                    id: name, user: "P1", kind: "", name: name, metadata: "{}", length: Int64(text.count), offset: 0,
                    created: now, changed: now, expected: nil, mismatches: 0)
                _ = try await files.create(upload)
                try await files.begin(name, at: 0, checksum: nil, length: nil)
                try await files.append(name, text, now: now)
                _ = try await files.end(name, isWhole: true, now: now)
            }
            try Connection(.file(folder + "/receiver.sqlite")).execute("DELETE FROM span")
            let index = DescriptionIndex(archive: archive, folder: files, most: most)
            for _ in 0..<refusals {
                let failure = await #expect(throws: HTTPFailure.self) {
                    try await index.allSpans(of: "P1", from: .epoch, to: .distantFuture)
                }
                #expect(failure?.status == 503)
            }
            let all = try await index.allSpans(of: "P1", from: .epoch, to: .distantFuture)
            #expect(all.map(\.file) == ["1.flac", "2.flac", "3.flac"])
        }
    }
}
