// SPDX-License-Identifier: Apache-2.0
import Glibc
import Logging
import SystemKit

/// Runs services together, and ends them one after the other.
///
/// ```
/// run ── all at once ──▶ a signal, `stop`, or one of them returns ──▶ the last is asked to stop, and has; then the one before ──▶ returned
///                                └── longer than `timeout` ──▶ all that are left are cancelled
///         one of them throws ──▶ all are cancelled, and that is thrown
/// ```
package final class ServiceGroup: Sendable {
    private let services: [any Service]
    private let signals: [CInt]
    private let timeout: Duration
    private let log: Logger
    private let stopping = StopRequest()

    /// In the order in which they depend on each other: the last is stopped first. `signals` stop
    /// the group; `timeout` is for all of them together.
    package init(_ services: [any Service], stoppedBy signals: [CInt], within timeout: Duration, log: Logger) {
        (self.services, self.signals, self.timeout, self.log) = (services, signals, timeout, log)
    }

    /// Asks the group to stop, in good order. Any thread; a second time changes nothing.
    package func stop() { stopping.give() }

    /// Returns when every service has; throws what one of them threw.
    package func run() async throws {
        let caught = try StopSignals(signals) { [stopping, log] number in
            log.notice("stopping", metadata: ["signal": "\(number)"])
            stopping.give()
        }
        defer { caught.end() }
        let lives = services.map { ServiceLife($0) }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for life in lives {
                group.addTask { [stopping] in
                    defer {
                        life.ended.give()
                        stopping.give()
                    }
                    try await life.run()
                    return true
                }
            }
            group.addTask { [self] in await stop(lives) }
            do {
                while let isInOrder = try await group.next() {
                    guard !isInOrder else { continue }
                    log.error(
                        "stopping", metadata: ["fault": "this takes longer than \(timeout); the rest is cancelled"])
                    group.cancelAll()
                }
            } catch {
                group.cancelAll()
                throw error
            }
        }
    }

    /// From the last to the first, once the group is to stop; false when their time was up.
    private func stop(_ lives: [ServiceLife]) async -> Bool {
        await stopping.waitUntilGiven()
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for life in lives.reversed() where !Task.isCancelled {
                    life.request.give()
                    await life.ended.waitUntilGiven()
                }
                return true
            }
            group.addTask { [timeout] in
                do { try await Task.sleep(for: timeout) } catch { return true }
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? true
        }
    }
}

/// A service while its group runs; it finds `request` as `StopRequest.current`.
private struct ServiceLife: Sendable {
    private let service: any Service
    let request = StopRequest()
    /// Given when it has ended.
    let ended = StopRequest()

    init(_ service: any Service) { self.service = service }

    func run() async throws { try await StopRequest.$current.withValue(request) { try await service.run() } }
}

/// Something that runs as long as the agent does; `AgentRuntime` gives all of them to one `ServiceGroup`.
package protocol Service: Sendable {
    /// Returns when the service has done what it was for, or after it was asked to stop
    /// (`StopRequest`). What it throws ends the agent.
    func run() async throws
}
