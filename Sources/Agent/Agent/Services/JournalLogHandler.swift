// SPDX-License-Identifier: Apache-2.0
import Glibc
import Logging

/// Writes log lines to standard error, with the `<N>` prefixes that the journal turns into
/// priorities when it listens.
package struct JournalLogHandler: LogHandler {
    /// `LogHandler`: what is below it is not written.
    package var logLevel: Logger.Level = .info
    /// `LogHandler`: on every line; a line's own values win over these.
    package var metadata: Logger.Metadata = [:]
    private let label: String
    private let prefixed: Bool

    /// A handler for `label`; `prefixed` when standard error is the journal
    /// (JOURNAL_STREAM is set).
    package init(label: String, prefixed: Bool) {
        self.label = label
        self.prefixed = prefixed
    }

    /// `LogHandler`: a value that every line of this handler carries; nil takes it away.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// `LogHandler`: one line in one write(2), blocking; metadata sorted by key. What cannot be
    /// written is lost.
    package func log(event: LogEvent) {
        let details = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
            .map { " \($0.key)=\($0.value)" }.joined()
        let prefix = prefixed ? "<\(Self.priority(event.level))>" : "\(event.level): "
        let line = Array("\(prefix)\(label): \(event.message)\(details)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }

    /// syslog(3) priorities.
    private static func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
