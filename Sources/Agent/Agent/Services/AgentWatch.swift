// SPDX-License-Identifier: Apache-2.0
import Base
import Logging
import SystemKit

/// Checks whether all threads make progress, before `MaintenanceService` feeds systemd's watchdog. What it reads of
/// the kernel never blocks.
struct AgentWatch: Sendable {
    private let watched: WatchedThreads
    /// The file that tells the next start which restart was tried.
    private let file: String
    /// The restart that the last `check` decided to try. The caller has to `keep` it before the watchdog ends this
    /// process; nil = nothing new was decided.
    private(set) var pending: RestartRule.Tried?
    private let log: Logger
    private var detector = HangDetector()
    private var rule: RestartRule
    private var reported: Set<Explanation> = []
    /// A restart for a thread that measures has been decided and is waited for.
    private var isTrying = false

    init(_ watched: WatchedThreads, bootID: String, file: String, log: Logger) {
        (self.watched, self.file, self.log) = (watched, file, log)
        rule = RestartRule(bootID: bootID)
        rule.tried = (try? BoundedFile.text(file)).flatMap { RestartRule.Tried(parsing: $0) }
    }

    /// Looks at all threads, asks the silent ones for a sign of life, and returns whether the watchdog is to be
    /// fed and what is wrong.
    mutating func check(at now: MonotonicTime) -> RestartRule.Verdict {
        detector.check(watched.heartbeats, at: now)
        watched.ask(detector.silent)
        let verdict = rule.verdict(detector.stuck, at: now, isHeld: Self.isHeld)
        for fault in verdict.faults where !reported.contains(fault) {
            log.critical("watchdog", metadata: ["fault": "\(fault)"])
        }
        reported = Set(verdict.faults)
        // Pending at one check only: the verdict stays the same for as long as the thread hangs.
        pending = verdict.tries && !isTrying ? .init(bootID: rule.bootID, time: now) : nil
        isTrying = verdict.tries
        return verdict
    }

    /// Keeps it for the next start; blocks on the disk.
    func keep(_ tried: RestartRule.Tried) {
        do { try AtomicFile.write(Array(tried.text.utf8), to: file) } catch {
            log.error("watchdog", metadata: ["fault": "\(error)"])
        }
    }

    /// State D of proc(5), the third word of the thread's stat, behind a name in parentheses that
    /// may hold anything.
    static func isHeld(_ thread: CInt) -> Bool {
        guard thread > 0, let text = try? BoundedFile.text("/proc/self/task/\(thread)/stat"),
            let end = text.lastIndex(of: ")")
        else { return false }
        return text[end...].dropFirst().first { $0 != " " } == "D"
    }
}
