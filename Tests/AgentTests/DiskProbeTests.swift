// SPDX-License-Identifier: Apache-2.0
import Base
import Synchronization
import SystemKit
import Testing

@testable import Agent

/// Looks into a folder whenever it is asked for the time.
private final class LookingClock: StudyClock {
    private let folder: String
    private let seen = Mutex<[[String]]>([])

    init(_ folder: String) { self.folder = folder }

    var listings: [[String]] { seen.withLock { $0 } }
    var now: Instant { SystemClock().now }
    var marks: ClockMarks { SystemClock().marks }
    var monotonic: MonotonicTime {
        let names = FolderListing.readable(folder)
        seen.withLock { $0.append(names) }
        return SystemClock().monotonic
    }
    func sleep(until deadline: MonotonicTime) async throws {}
}

@Suite struct DiskProbeTests {
    @Test func aProbeThatIsBrokenOffAtAnyMomentLeavesNoFile() throws {
        let scratch = try TemporaryFolder("opened")
        // Beside the mark of the folder above.
        let folder = scratch.path + "/state"
        try File.makeFolder(folder)
        let clock = LookingClock(folder)
        let setting = CheckSetting(
            board: try BoardDescription(
                parsing: BoundedFile.text(AgentFixture.package + "/boards/simulated.toml"), file: "b"),
            clock: clock, trust: ClockTrust { (.kernel, .milliseconds(1)) }, folder: folder)
        var found: [CheckFinding] = []
        DiskProbe(setting: setting).run { found.append($0) }
        #expect(found.map(\.subject) == [CheckSubject(.disk, folder)])
        #expect(found.first?.detail.contains("MB/s, longest sync") == true, "\(found)")
        #expect(!clock.listings.isEmpty && clock.listings.allSatisfy(\.isEmpty), "\(clock.listings)")
        #expect(FolderListing.readable(folder).isEmpty)
    }

    @Test func aFolderThatIsNotThereIsAFailure() throws {
        let board = try BoardDescription(parsing: BoardDescriptionTests.least, file: "b.toml")
        var found: [CheckFinding] = []
        DiskProbe(
            setting: CheckSetting(
                board: board, clock: SystemClock(), trust: ClockTrust { (.kernel, .milliseconds(1)) },
                folder: "/nowhere/at/all")
        ).run { found.append($0) }
        #expect(found.map(\.result) == [.failed], "\(found)")
    }
}
