// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit
import Testing

@testable import Agent

@Suite struct StateFolderTests {
    private static func write(_ path: String) throws { try AtomicFile.write(Array("somebody's".utf8), to: path) }

    /// stat(2) tells a file from a folder; a link to a folder is one.
    @Test func whatIsOfAnotherKindIsMovedAsideAndAllElseStays() async throws {
        try await AgentFixture.inFolder { path in
            let state = try StateFolder(path)
            let folders = [state.recordings, state.media, state.speech, state.results, path + "/damaged"]
            let files = [
                state.socket, state.restart, state.enrolment, state.joining, state.deviceKey, state.encryptionKey,
                StateFolder.reportMemory(in: path), path + "/studyd.head", path + "/reserve", path + "/alive",
                StateFolder.liveMemory(in: path),
            ]
            #expect(state.clearPlaces().isEmpty && state.clearLock().isEmpty, "nothing is there")
            mkdir(path + "/elsewhere", 0o750)
            try #require(symlink(path + "/elsewhere", state.media) == 0)
            for place in folders { mkdir(place, 0o750) }
            for place in files + [state.lock] { try Self.write(place) }
            #expect(state.clearPlaces().isEmpty && state.clearLock().isEmpty, "all is right")
            for place in files + [state.lock, state.media] { unlink(place) }
            for place in folders { rmdir(place) }
            for place in folders { try Self.write(place) }
            for place in files + [state.lock] { mkdir(place, 0o750) }
            let told = state.clearPlaces()
            #expect(told.compactMap(\.place) == folders + files)
            #expect(
                told.map { $0.cause.hasPrefix("was not a folder") } == (folders + files).map { folders.contains($0) })
            #expect(state.clearLock().compactMap(\.place) == [state.lock])
            for place in folders + files + [state.lock] {
                #expect(access(place, F_OK) != 0 && access(place + ".aside-1", F_OK) == 0, "\(place)")
            }
            #expect(state.clearPlaces().isEmpty && state.clearLock().isEmpty, "what was moved is not moved again")
        }
    }

    /// A write-ahead log without its database is the agent's to salvage, and no reason to say that there was none.
    @Test(
        arguments: [
            ([], false), (["letter.txt"], false), (["studyd.head", "closed"], false), (["studyd.sqlite"], true),
            (["studyd.sqlite-wal"], true),
        ] as [([String], Bool)])
    func aFolderWithoutAStoreIsNamedAndStaysAsItIs(names: [String], hasStore: Bool) async throws {
        try await AgentFixture.inFolder { path in
            for name in names { try Self.write(path + "/" + name) }
            if hasStore {
                #expect(try StateFolder(withStore: path).path == path)
            } else {
                let refusal = #expect(throws: FileError.self) { try StateFolder(withStore: path) }
                #expect(try #require(refusal).description.hasPrefix(path + ": there is no store here; "))
            }
            #expect(FolderListing.readable(path) == names.sorted())
            #expect(throws: FileError.self) { try StateFolder(withStore: path + "/none") }
            #expect(access(path + "/none", F_OK) != 0)
        }
    }

    /// At the last name, and where none is free.
    @Test(arguments: [(0, 1), (1, 2), (98, 99), (99, nil)] as [(Int, Int?)])
    func itIsMovedToTheFirstFreeName(taken: Int, name: Int?) async throws {
        try await AgentFixture.inFolder { path in
            let state = try StateFolder(path)
            try Self.write(state.results)
            for number in 0..<taken { mkdir("\(state.results).aside-\(number + 1)", 0o750) }
            let told = state.clearPlaces()
            #expect(
                told.map { $0.cause.hasSuffix("it was moved to \(state.results).aside-\(name ?? 0)") }
                    == (name == nil ? [] : [true]))
            let place = name.map { "\(state.results).aside-\($0)" } ?? state.results
            #expect(try BoundedFile.text(place) == "somebody's")
        }
    }
}
