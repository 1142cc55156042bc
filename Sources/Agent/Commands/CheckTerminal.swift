// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Glibc

/// The person at the terminal of `studyd check`, who presses buttons and says what was seen; messages go to
/// standard error.
enum CheckTerminal {
    private static let timeout: Duration = .seconds(30)
    /// Clears the line that shows progress.
    static let clear = "\r\u{1B}[K"

    /// The person who can be asked; nil where there is no terminal.
    static func person() -> CheckPerson? {
        guard isatty(STDIN_FILENO) == 1, Output.isTerminal else { return nil }
        return CheckPerson(tell: { Output.errorText(clear + $0.shownLines + "\n") }, ask: ask)
    }

    @Sendable private static func ask(_ question: String) -> Bool? {
        tcflush(STDIN_FILENO, TCIFLUSH)
        Output.errorText(clear + question + " [y/n] ")
        var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, CInt(timeout.milliseconds)) > 0, let answer = readLine()?.first?.lowercased() else {
            Output.remark("")
            return nil
        }
        return ["y": true, "n": false][answer]
    }
}
