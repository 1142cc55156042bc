// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import StandIns

/// A folder that is edited while it is served: numbers in files, served as their sum.
@Suite struct ServedFolderTests {
    /// What was parsed, by name, and said.
    private final class Notes: @unchecked Sendable {
        var parsed: [String] = []
        var said: [String] = []
        func take() -> (parsed: [String], said: [String]) {
            defer { (parsed, said) = ([], []) }
            return (parsed.sorted(), said)
        }
    }

    private static func served(_ path: String, _ notes: Notes) throws -> ServedFolder<Int, Int> {
        try ServedFolder(
            path, where: { $0.hasSuffix(".txt") },
            parse: { path, bytes in
                notes.parsed.append((path as NSString).lastPathComponent)
                guard let number = Int(String(decoding: bytes, as: UTF8.self)) else {
                    throw StandInFailure("\((path as NSString).lastPathComponent) is no number")
                }
                return number
            },
            join: { files in
                guard !files.isEmpty else { throw StandInFailure("no numbers") }
                return files.values.reduce(0, +)
            })
    }

    private static func write(_ text: String, to path: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    @Test func aFileThatIsBrokenKeepsItsLastContentAndIsReportedOnce() async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let notes = Notes()
            for (name, text) in [("a.txt", "1"), ("b.txt", "20"), ("other", "300")] {
                try Self.write(text, to: "\(folder)/\(name)")
            }
            var served = try Self.served(folder, notes)
            func refreshed() -> Bool { served.refresh { notes.said.append($0) } }
            #expect(served.whole == 21 && notes.take().parsed == ["a.txt", "b.txt"])
            #expect(!refreshed() && notes.take() == ([], []), "nothing has changed")
            // Only what changed is read again.
            try Self.write("2", to: folder + "/a.txt")
            #expect(refreshed() && served.whole == 22 && notes.take() == (["a.txt"], []))
            try Self.write("two", to: folder + "/a.txt")
            #expect(refreshed() && served.whole == 22)
            #expect(notes.take() == (["a.txt"], ["a.txt is no number: still serving it as it was"]))
            for _ in 0..<2 { #expect(!refreshed() && served.whole == 22 && notes.take() == ([], [])) }
            // A new one that is broken has nothing to go on with.
            try Self.write("c", to: folder + "/c.txt")
            #expect(refreshed() && served.whole == 22)
            #expect(notes.take() == (["c.txt"], ["c.txt is no number: left out"]))
            try Self.write("3", to: folder + "/a.txt")
            try FileManager.default.removeItem(atPath: folder + "/b.txt")
            #expect(refreshed() && served.whole == 3 && notes.take() == (["a.txt"], []))
        }
    }

    /// As a disk that is not mounted for a while; the second time is news again.
    @Test func aFolderThatIsAwayIsServedAsItWasAndReportedOnceEachTime() async throws {
        try await withFolder { folder in
            let (path, aside) = (folder + "/served", folder + "/aside")
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            let notes = Notes()
            try Self.write("7", to: path + "/a.txt")
            var served = try Self.served(path, notes)
            func refreshed() -> Bool { served.refresh { notes.said.append($0) } }
            _ = notes.take()
            for _ in 1...2 {
                try FileManager.default.moveItem(atPath: path, toPath: aside)
                for reports in [1, 0] {
                    #expect(!refreshed() && served.whole == 7)
                    let (parsed, said) = notes.take()
                    #expect(parsed.isEmpty && said.count == reports, "\(said)")
                    #expect(said.allSatisfy { $0.hasSuffix(": still serving it as it was") })
                }
                try FileManager.default.moveItem(atPath: aside, toPath: path)
                #expect(!refreshed() && served.whole == 7 && notes.take() == ([], []))
            }
        }
    }

    @Test func aFolderThatHoldsNothingKeepsItsLastWhole() async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let notes = Notes()
            try Self.write("7", to: folder + "/a.txt")
            var served = try Self.served(folder, notes)
            _ = notes.take()
            try FileManager.default.removeItem(atPath: folder + "/a.txt")
            for said in [["no numbers: still serving it as it was"], []] {
                let isNew = served.refresh { notes.said.append($0) }
                #expect(!isNew && served.whole == 7 && notes.take() == ([], said))
            }
        }
    }
}
