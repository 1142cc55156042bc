// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Synchronization
import Testing

@testable import Agent

@Suite struct DeliveryRunnerTests {
    /// Answers as it is written.
    private final class Script: Destination {
        let name = "study"
        private let steps: Mutex<[Swift.Result<DeliveryStep, TransportError>]>

        init(_ steps: [Swift.Result<DeliveryStep, TransportError>]) { self.steps = Mutex(steps) }

        func send(_ job: DeliveryJob, by client: HTTPClient) throws -> DeliveryStep {
            try steps.withLock { $0.removeFirst() }.get()
        }
    }

    /// What is said of log-in pages, and how each attempt ended.
    private func attempts(
        _ steps: [Swift.Result<DeliveryStep, TransportError>]
    ) async throws -> (portals: [String], endings: [String]) {
        let database = try StudyDatabase(.memory)
        try await UploadFixture.append([UploadFixture.draft("a", to: "http://x")], to: database)
        let item = try #require(try await database.items().first)
        let (portals, plain) = (Lines(), UploadFixture.context(HastyClock()))
        let runner = DeliveryRunner(
            database, to: Script(steps), by: try HTTPClient(userAgent: "t"),
            context: .init(
                clock: plain.clock, recordings: "", stamp: plain.stamp,
                report: { if case .portal(_, let words) = $0 { portals.add(words == nil ? "gone" : "there") } }),
            longestWait: .seconds(60), stopFlag: StopFlag())
        var endings: [String] = []
        for _ in steps {
            let ending = await runner.run(
                item, in: DeliveryQueue(destination: "study", enrolment: nil), leastTriedFirst: false)
            let end = if case .verdict(.refused) = ending.result { "refused" } else { "open" }
            endings.append(end)
        }
        return (portals.all, endings)
    }

    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
    }

    private static func failure(_ kind: TransportError.Kind) -> Swift.Result<DeliveryStep, TransportError> {
        .failure(TransportError(kind: kind, url: "http://x", message: ""))
    }

    private static let silences = TransportError.Kind.allCases.filter { $0 != .portal }

    /// What a destination does not say of itself it is not, so that one of a third party gets nothing
    /// of the lab's.
    @Test func aDestinationIsNothingThatItDoesNotSay() {
        let plain = Script([])
        #expect(!plain.isLab && !plain.keepsDayRecords && !plain.takesResults && !plain.takesDeviceSignals)
        #expect(!plain.hasManyServers && !plain.picksRecordings && plain.minimumInterval == .zero)
        #expect(plain.address == nil)
    }

    /// A request without an answer says nothing of the network's log-in page.
    @Test(arguments: silences) func aPortalIsGoneOnceTheServerAnswers(kind: TransportError.Kind) async throws {
        let steps = [Self.failure(.portal), Self.failure(kind), Self.failure(.portal), Self.failure(kind)]
        #expect(try await attempts(steps).portals == ["there"])
        #expect(
            try await attempts(steps + [.success(.later(reason: "503", wait: .zero))]).portals == ["there", "gone"])
        #expect(try await attempts([Self.failure(kind)]).portals == [])
    }

    @Test(arguments: TransportError.Kind.allCases) func onlyALostFileIsRefused(kind: TransportError.Kind) async throws {
        #expect(try await attempts([Self.failure(kind)]).endings == [kind == .file ? "refused" : "open"])
    }
}
