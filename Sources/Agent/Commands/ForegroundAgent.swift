// SPDX-License-Identifier: Apache-2.0
import Agent
import Glibc
import Logging

extension AgentRuntime.Options {
    /// The options of an agent that systemd or a shell starts in the foreground: `studyd run` and
    /// `studyd-tools run`.
    package static func foreground(_ configuration: AgentConfiguration) -> Self {
        var environment: [String: String] = [:]
        for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "JOURNAL_STREAM", "RUNTIME_DIRECTORY"] {
            environment[name] = getenv(name).map { String(cString: $0) }
        }
        let isJournal = environment["JOURNAL_STREAM"] != nil
        let log = Logger(label: "studyd") {
            JournalLogHandler(label: $0, prefixed: isJournal, journal: isJournal ? JournalSocket() : nil)
        }
        var surroundings = Self(trust: .system(vouched: configuration.trustsSystemClock), log: log)
        surroundings.environment = environment
        if let thread = TaskThread.current { surroundings.clock = thread.clock }
        return surroundings
    }
}
