// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Foundation
import Logging
import Simulation
import Study
import Synchronization
import Testing

@testable import Agent

@Suite(.timeLimit(.minutes(10))) struct StoreMaintenanceTests {
    /// A store on the disk, and who looks after it in virtual time.
    private struct Desk {
        let path: String
        let database: StudyDatabase
        let keeper: StoreMaintenance
        let view = SharedState()
        let clock = VirtualClock(now: Fixture.stamp(7000).wall)

        /// `version` of its tables, when it is found; nil = this one's.
        init(_ folder: String, version: Int? = nil) async throws {
            path = folder + "/studyd.sqlite"
            try await Damage.fill(path, 0..<5)
            if let version { try Connection(.file(path)).execute("PRAGMA user_version = \(version)") }
            database = try StudyDatabase(
                rescuing: path, recordings: folder + "/recordings", at: Fixture.stamp(6000))
            keeper = StoreMaintenance(
                database, retention: RetentionPolicy(diskCap: 1 << 30, keepDelivered: .zero),
                stamps: EventClock(clock: clock, bootID: "boot-2", zone: .utc), view: view, mailbox: Mailbox(),
                systemd: SystemdNotifier(environment: [:]),
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }

        /// How often the store was salvaged so far, after its file was removed and looked for.
        func salvagesAfterRemoval() async throws -> Int {
            unlink(path)
            await keeper.runRound()
            return try await database.salvages().count
        }
    }

    /// A step is a table at least, and there are many; the next look at everything is an hour later.
    @Test func theFirstLookGoesOnUntilAllWasSeen() async throws {
        let folder = NSTemporaryDirectory() + "keeper-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let desk = try await Desk(folder)
        let isOver = Mutex(false)
        let looking = Task { [keeper = desk.keeper] in
            await keeper.scanAll()
            isOver.withLock { $0 = true }
        }
        while !isOver.withLock({ $0 }) {
            if let next = desk.clock.nextDeadline { desk.clock.advance(to: next) }
            await Task.yield()
        }
        await looking.value
        let end = desk.clock.monotonic
        for (wait, isResting) in [(.zero, true), (.milliseconds(3_599_999), true), (.seconds(3600), false)]
            as [(Duration, Bool)]
        {
            desk.clock.advance(to: end + wait)
            #expect(desk.keeper.isResting == isResting, "\(wait)")
        }
    }

    /// After an older program was installed the store is whole, and is not called damaged.
    @Test(
        arguments: [
            (nil, nil), (99, "Something is wrong with the device. Please call the study team"),
        ] as [(Int?, String?)])
    func thePanelSaysWhatIsTrueOfAStoreOfAnotherVersion(version: Int?, words: String?) async throws {
        let folder = NSTemporaryDirectory() + "keeper-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let desk = try await Desk(folder, version: version)
        await desk.keeper.begin()
        #expect(desk.view.now.panelFault == words)
        #expect(desk.view.now.storeDamage?.contains("version 99") == (version == nil ? nil : true))
    }

    /// What damages one store after another is not worth more: a minute lies between two salvages.
    @Test func aStoreThatIsGoneIsSalvagedOnceAMinute() async throws {
        let folder = NSTemporaryDirectory() + "keeper-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let desk = try await Desk(folder)
        await desk.keeper.begin()
        await desk.keeper.runRound()
        #expect(try await desk.database.salvages().isEmpty && desk.view.now.storeDamage == nil)
        #expect(try await desk.salvagesAfterRemoval() == 1)
        #expect(desk.view.now.storeDamage?.contains("while the agent ran") == true)
        #expect(desk.view.now.panelFault == "The device's memory was damaged")
        #expect(FileManager.default.fileExists(atPath: desk.path))
        for (wait, count) in [(.zero, 1), (.milliseconds(59_999), 1), (.milliseconds(1), 2)] as [(Duration, Int)] {
            desk.clock.advance(to: desk.clock.monotonic + wait)
            #expect(try await desk.salvagesAfterRemoval() == count, "\(wait)")
        }
        #expect(try await desk.database.verifyLog() == nil && desk.view.now.storeVolatile == nil)
    }
}
