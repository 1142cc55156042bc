// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Testing

@testable import Lab

@Suite struct WearIndexTests {
    private static let begin = Instant(seconds: 1_779_962_400)

    /// Three days, a minute longer each, of which `most` are read at a time.
    private func withIndex(most: Int, _ body: (WearIndex, [RecordedSpan], String) async throws -> Void) async throws {
        try await withUploads { files, archive, folder in
            for day in 1...3 {
                let start = Self.begin + .seconds(86_400 * day)
                let table = WornTimeTests.table(from: start, [Int?](repeating: 1, count: day))
                let description =
                    #"{"kind":"features","startDate":"\#(start.rfc3339())","endDate":"\#((start + .seconds(60)).rfc3339())","samplesStored":1,"relativePath":"\#(day).csv"}"#
                for (name, text) in [("\(day).csv", table), ("\(day).json", description)] {
                    let upload = Upload(
                        id: name, user: "P1", kind: "", name: name, metadata: "{}", length: Int64(text.utf8.count),
                        offset: 0, created: start, changed: start, expected: nil, mismatches: 0)
                    _ = try await files.create(upload)
                    try await files.begin(name, at: 0, checksum: nil, length: nil)
                    try await files.append(name, Array(text.utf8), now: start)
                    _ = try await files.end(name, isWhole: true, now: start)
                }
            }
            let spans = try await DescriptionIndex(archive: archive, folder: files).spans(of: "P1")
            try await body(WearIndex(archive: archive, folder: files, most: most), spans, folder)
        }
    }

    private func minutes(_ found: [LocalDate: WornTime]) -> [Int] { found.values.map { $0.worn / 60 }.sorted() }

    @Test func whatIsLeftForTheNextTimeIsTheOldestAndSaid() async throws {
        try await withIndex(most: 2) { index, spans, _ in
            let first = try await index.days(in: spans)
            #expect(minutes(first.days) == [2, 3] && !first.isWhole)
            let second = try await index.days(in: spans)
            #expect(minutes(second.days) == [1, 2, 3] && second.isWhole)
        }
    }

    /// As while the disk of the files is not mounted. What is no table is not read again.
    @Test func aFileThatIsNotThereNowIsReadLater() async throws {
        try await withIndex(most: 9) { index, spans, folder in
            let (path, aside) = (folder + "/files", folder + "/aside")
            try FileManager.default.moveItem(atPath: path, toPath: aside)
            #expect(try await index.days(in: spans).days.isEmpty)
            try FileManager.default.moveItem(atPath: aside, toPath: path)
            try Data("damaged".utf8).write(to: URL(fileURLWithPath: path + "/1-1.csv"))
            #expect(try await minutes(index.days(in: spans).days) == [2, 3])
            try Data(WornTimeTests.table(from: Self.begin, [1]).utf8).write(to: URL(fileURLWithPath: path + "/1-1.csv"))
            #expect(try await minutes(index.days(in: spans).days) == [2, 3])
        }
    }
}
