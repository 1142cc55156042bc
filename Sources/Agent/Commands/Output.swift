// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Synchronization
import SystemKit

/// Where every command prints: what was asked for goes to standard output (`line`, `text`), everything else to
/// standard error (`remark`, `errorText`).
///
/// A terminal obeys nothing of what `line` and `remark` write, wherever it comes from: a study, a server, a file.
package enum Output {
    package static func line(_ text: String = "") { Self.text(text.shownLines + "\n") }
    /// Writes to standard output as it is. What a full disk does not take is reported at the end,
    /// by `trouble`.
    package static func text(_ text: String) {
        let error = write(text, to: STDOUT_FILENO)
        if error != 0 { lost.store(error, ordering: .relaxed) }
    }
    /// Writes a line for a person to standard error.
    package static func remark(_ text: String) { errorText(text.shownLines + "\n") }
    /// Writes to standard error as it is.
    package static func errorText(_ text: String) { _ = write(text, to: STDERR_FILENO) }

    /// The errno of the last write to standard output that failed; 0 = none.
    private static let lost = Atomic<CInt>(0)

    /// What kept standard output from being written; nil where all of it was. A closed pipe is no
    /// trouble.
    static var trouble: String? {
        let error = lost.load(ordering: .relaxed)
        return error == 0 || error == EPIPE ? nil : "standard output: \(String(cString: strerror(error)))"
    }
    /// True when standard error is a terminal, so that progress may be shown.
    package static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// True when standard output is a terminal that shows colours, and `NO_COLOR` is not set.
    package static var takesColours: Bool {
        let variables = (none: getenv("NO_COLOR"), terminal: getenv("TERM"))
        let isRefused = variables.none.map { $0.pointee != 0 } ?? false
        return isatty(STDOUT_FILENO) == 1 && !isRefused && variables.terminal.map { strcmp($0, "dumb") != 0 } ?? false
    }

    /// Returns errno; 0 where all of it was written.
    private static func write(_ text: String, to descriptor: CInt) -> CInt {
        File.write(Array(text.utf8)[...], to: descriptor) ? 0 : errno
    }
}
