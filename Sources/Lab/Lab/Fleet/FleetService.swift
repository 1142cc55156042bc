// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// Looks at the fleet (`FleetWatch`) every ten seconds while `Receiver` runs, and sends the notices: no request
/// announces that a device is silent.
struct FleetService: Sendable {
    let watch: FleetWatch
    let webhook: Webhook?
    let metricsFile: String?
    let clock: any StudyClock
    let report: @Sendable (String) -> Void

    private static let interval: Duration = .seconds(10)

    /// Returns when the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await lookRepeatedly() }
            if let webhook { tasks.addTask { await sendRepeatedly(webhook) } }
        }
    }

    private func lookRepeatedly() async {
        var last = LastLook()
        while !Task.isCancelled {
            await look(after: &last)
            guard (try? await clock.sleep(until: clock.monotonic + Self.interval)) != nil else { return }
        }
    }

    struct LastLook {
        /// The metrics that are in the file.
        fileprivate var written = ""
        /// What went wrong, which is reported once as long as it stays the same.
        fileprivate var problem: String?
    }

    func look(after last: inout LastLook) async {
        do {
            let view = try await watch.look(at: clock.now)
            if let metricsFile { try write(FleetMetrics(view: view).text, to: metricsFile, &last.written) }
            last.problem = nil
        } catch {
            let problem = "fleet: \(Explanation(error))"
            if problem != last.problem { report(problem) }
            last.problem = problem
        }
    }

    private func write(_ text: String, to file: String, _ written: inout String) throws {
        guard text != written else { return }
        try AtomicFile.write(Array(text.utf8), to: file)
        // Whatever the umask: the node exporter, which is another user, reads it.
        guard chmod(file, 0o644) == 0 else { throw FileError.last("chmod", file) }
        written = text
    }

    /// A task of its own: a webhook that hangs must not delay `lookRepeatedly`.
    private func sendRepeatedly(_ webhook: Webhook) async {
        while !Task.isCancelled {
            do { try await sendDue(webhook) } catch { report("webhook: \(Explanation(error))") }
            guard (try? await clock.sleep(until: clock.monotonic + .seconds(2))) != nil else { return }
        }
    }

    /// Sends what is due now, and notes how that went.
    func sendDue(_ webhook: Webhook) async throws {
        let now = clock.now
        while let notice = try await watch.nextNotice(at: now) {
            try await watch.note(await webhook.send(notice), to: notice, at: clock.now)
        }
    }
}
