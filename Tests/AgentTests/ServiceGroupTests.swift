// SPDX-License-Identifier: Apache-2.0
import Logging
import Synchronization
import Testing

@testable import Agent

/// The rules are those that swift-service-lifecycle documents for `gracefullyShutdownGroup` and
/// `cancelGroup` (its README and ServiceGroup.swift, 2.13), by which the agent's services were
/// written. SIGTERM itself is sent to real agents by ScenarioTests.
@Suite(.timeLimit(.minutes(10))) struct ServiceGroupTests {
    final class Book: Sendable {
        private let lines = Mutex<[String]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
    }

    /// What a service of a test does.
    struct Player: Service {
        let name: String
        let book: Book
        let play: @Sendable () async throws -> Void

        func run() async throws {
            defer { book.add("\(name) ended\(Task.isCancelled ? ", cancelled" : "")") }
            try await play()
        }
    }

    struct Failure: Error {}

    private let book = Book()

    private func patient(_ name: String) -> Player {
        Player(name: name, book: book) { await stopRequested() }
    }

    private func group(_ services: [any Service], within patience: Duration = .seconds(600)) -> ServiceGroup {
        ServiceGroup(
            services, stoppedBy: [], within: patience, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test func servicesAreStoppedFromTheLastToTheFirst() async throws {
        let group = group(["first", "second", "third"].map(patient))
        group.stop()
        try await group.run()
        #expect(book.all == ["third ended", "second ended", "first ended"])
    }

    @Test func whoeverReturnsStopsTheOthersInGoodOrder() async throws {
        try await group([patient("first"), Player(name: "short", book: book) {}, patient("third")]).run()
        #expect(book.all == ["short ended", "third ended", "first ended"])
    }

    @Test func aServiceThatFailsCancelsTheOthersAndIsThrown() async throws {
        await #expect(throws: Failure.self) {
            try await group([patient("first"), Player(name: "bad", book: book) { throw Failure() }]).run()
        }
        #expect(book.all == ["bad ended", "first ended, cancelled"])
    }

    @Test func whoDoesNotEndInTimeIsCancelled() async throws {
        let deaf = Player(name: "deaf", book: book) { try? await Task.sleep(for: .seconds(86_400)) }
        let group = group([patient("first"), deaf], within: .milliseconds(20))
        group.stop()
        try await group.run()
        // The first is cancelled, or its turn came in that very moment.
        #expect(book.all.contains("deaf ended, cancelled") && book.all.count == 2, "\(book.all)")
    }

    @Test func anOperationIsCancelledWhenItsServiceIsStopped() async throws {
        let sleeper = Player(name: "sleeper", book: book) { [book] in
            await cancelWhenStopped {
                try? await Task.sleep(for: .seconds(86_400))
                book.add("woken, \(Task.isCancelled)")
            }
        }
        let group = group([sleeper])
        group.stop()
        try await group.run()
        #expect(book.all == ["woken, true", "sleeper ended"])
    }

    @Test func aHandlerIsCalledOnceAndAtOnceWhereTheRequestWasBefore() async throws {
        let late = Player(name: "late", book: book) { [book] in
            await stopRequested()
            await withStopHandler {
                book.add("working")
            } onStop: {
                book.add("handler")
            }
        }
        let group = group([late])
        group.stop()
        group.stop()
        try await group.run()
        #expect(book.all == ["handler", "working", "late ended"])
    }

    @Test func outsideAGroupNothingWaits() async {
        await stopRequested()
        await withStopHandler {
        } onStop: {
            Issue.record("no stop was requested")
        }
    }
}
