// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Logging
import Patience
import Study
import SystemKit

@testable import Agent

/// A device that is shown live, with an empty log, and what a table `[mqtt]` of it says.
final class LiveBench: Sendable {
    let settings: LiveSettings
    let database: StudyDatabase
    let view = SharedState()
    let news: LiveNews
    let folder: String
    private let previous: LiveBench?
    private let stamps: EventClock

    /// `table` are lines besides `url` and `device`; `previous` is the same device before its agent was stopped, and
    /// perhaps handed over.
    init(
        _ url: String, _ table: String = "", silentAfter: String = "0s", clock: any StudyClock = SystemClock(),
        after previous: LiveBench? = nil, isHandedOver: Bool = false
    ) throws {
        let text = "board = 'b'\n[mqtt]\nurl = '\(url)'\ndevice = 'd1'\nsilent_after = '\(silentAfter)'\n\(table)\n"
        settings = try LiveSettings.read(text)
        self.previous = previous
        let kept = isHandedOver ? nil : previous?.database
        database = try kept ?? StudyDatabase(.memory)
        folder = try previous?.folder ?? UploadFixture.folder()
        stamps = EventClock(clock: clock, bootID: "boot", zone: try Zone.load(AgentFixture.berlin))
        news = LiveNews(clock: clock)
    }

    deinit { if previous == nil { try? FileManager.default.removeItem(atPath: folder) } }

    /// Publishes while `script` runs, and ends in good order.
    func publish(_ script: () async throws -> Void) async throws {
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let status = ClockStatus(trust: ClockTrust { (.kernel, .milliseconds(200)) }, bound: .seconds(300))
        let watch = StateWatch(database, view: view, clock: status, stamps: stamps, folder: folder, log: log)
        let reader = ReportReader(
            database: database, status: StatusReader(database: database, view: view, stamps: stamps, folder: folder),
            view: view, clock: status, stamps: stamps, folder: folder, sysfs: "", configuration: nil, watch: watch)
        let feed = try LiveFeed(settings, news, reader, folder: folder, log: log)
        let stop = StopRequest()
        let running = Task { try await StopRequest.$current.withValue(stop) { try await feed.run() } }
        let result: Result<Void, any Error>
        do { result = .success(try await script()) } catch { result = .failure(error) }
        stop.give()
        try await running.value
        try result.get()
    }

    func append(_ events: StudyEvent...) async throws {
        try await database.append(events, sending: [], at: stamps.stamp("e1"))
        news.work.wake()
    }

    func leave() async throws {
        try await database.withdraw(deletesUnsent: false, sending: [], at: stamps.stamp("e1"))
        news.work.wake()
    }

    /// Waits until the broker has taken the connection.
    func connected() async throws {
        try await eventually("connected; \(view.now.live.map { $0.line } ?? "")") { view.now.live?.isConnected == true }
    }

    /// Waits for what is wrong.
    func trouble(_ words: String) async throws -> LiveStatus {
        try await eventually("\(words); \(view.now.live.map { "\($0)" } ?? "")") {
            view.now.live.flatMap { $0.trouble?.description.contains(words) == true ? $0 : nil }
        }
    }
}

extension LiveSettings {
    static func read(_ text: String) throws -> LiveSettings {
        struct None: Error {}
        guard let mqtt = try AgentConfiguration(parsing: text, file: "s.toml").mqtt else { throw None() }
        return mqtt
    }
}
