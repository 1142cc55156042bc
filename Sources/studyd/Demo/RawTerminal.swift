// SPDX-License-Identifier: Apache-2.0
import Glibc
import Times

/// The terminal in character mode: keys arrive one by one and unechoed. Restores it when it goes.
final class RawTerminal {
    private var saved = termios()

    /// nil when standard input is no terminal.
    init?() {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, tcgetattr(STDIN_FILENO, &saved) == 0 else {
            return nil
        }
        var raw = saved
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &raw)
    }

    deinit { tcsetattr(STDIN_FILENO, TCSANOW, &saved) }

    /// The next key, nil when none came within `limit`.
    func key(within limit: Duration) -> UInt8? {
        var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, CInt(limit.milliseconds)) > 0 else { return nil }
        var byte: UInt8 = 0
        return read(STDIN_FILENO, &byte, 1) == 1 ? byte : nil
    }
}
