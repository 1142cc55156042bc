// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Machine output goes to standard output, everything else to standard error.
enum Output {
    /// Writes a line to standard output.
    static func line(_ text: String = "") { write(text + "\n", to: STDOUT_FILENO) }
    /// Writes to standard output as it is.
    static func text(_ text: String) { write(text, to: STDOUT_FILENO) }
    /// Writes a line for a person to standard error.
    static func note(_ text: String) { write(text + "\n", to: STDERR_FILENO) }
    /// Writes to standard error as it is.
    static func part(_ text: String) { write(text, to: STDERR_FILENO) }
    /// True when standard error is a terminal, so that progress may be shown.
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// True when standard output is a terminal that shows colours, and nobody has set `NO_COLOR`.
    static var takesColours: Bool {
        let variables = (none: getenv("NO_COLOR"), terminal: getenv("TERM"))
        let isRefused = variables.none.map { $0.pointee != 0 } ?? false
        return isatty(STDOUT_FILENO) == 1 && !isRefused && variables.terminal.map { strcmp($0, "dumb") != 0 } ?? false
    }

    private static func write(_ text: String, to descriptor: CInt) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}
