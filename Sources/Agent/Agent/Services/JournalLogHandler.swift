// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Logging

/// Writes the log lines of the agent and of `studyd-tools` to standard error, with the `<N>` prefixes that the
/// journal turns into priorities when it listens.
package struct JournalLogHandler: LogHandler {
    package var logLevel: Logger.Level = .info
    /// On every line; a line's own values win over these.
    package var metadata: Logger.Metadata = [:]
    private let label: String
    private let prefixed: Bool
    private let journal: JournalSocket?

    /// `label` names the program. `prefixed` is true when standard error is the journal (JOURNAL_STREAM is
    /// set); `journal` then is its native socket, for lines with fields.
    package init(label: String, prefixed: Bool, journal: JournalSocket? = nil) {
        (self.label, self.prefixed, self.journal) = (label, prefixed, journal)
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// One line in one write(2), blocking; metadata sorted by key. What cannot be written is lost. A line with a
    /// message id (`StateChange`) goes to the journal's socket instead, with its fields, where that takes it.
    package func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        let own = all.filter { $0.key != Logger.messageID }.sorted { $0.key < $1.key }
        let details = own.map { " \($0.key)=\($0.value)" }.joined()
        if let journal, let id = all[Logger.messageID] {
            let fields: [(name: String, value: String)] = [
                ("MESSAGE", "\(event.message)\(details)"), ("PRIORITY", String(Self.priority(event.level))),
                ("SYSLOG_IDENTIFIER", label), (Logger.messageID, "\(id)"),
            ]
            if journal.send(fields + own.map { (name: Self.field($0.key), value: "\($0.value)") }) { return }
        }
        let prefix = prefixed ? "<\(Self.priority(event.level))>" : "\(event.level): "
        let words = "\(event.message)\(details)".shown(indent: 2)
        let line = Array("\(prefix)\(label): \(words)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }

    /// The journal's name of a field: `STUDYD_PLACE` for `place`; `STUDYD_STATE` stays as it is.
    private static func field(_ key: String) -> String {
        let name = String(key.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        return name.hasPrefix("STUDYD_") ? name : "STUDYD_" + name
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
