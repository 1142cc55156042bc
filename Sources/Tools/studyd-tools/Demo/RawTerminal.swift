// SPDX-License-Identifier: Apache-2.0
import Glibc
import Terminal

/// The demo's terminal in character mode, for `TerminalPlayer` and `DrawnBoard`: keys arrive one by one and
/// unechoed. Restores it when it goes.
final class RawTerminal {
    private var saved = termios()
    private var decoder = KeyDecoder()
    /// Nothing had come at the last call of `readInputs`.
    private var isQuiet = false

    /// nil when standard input or output is no terminal.
    init?() {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, tcgetattr(STDIN_FILENO, &saved) == 0 else {
            return nil
        }
        var raw = saved
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        // Ctrl-S and Ctrl-Q are keys like others.
        raw.c_iflag &= ~tcflag_t(IXON)
        tcsetattr(STDIN_FILENO, TCSANOW, &raw)
    }

    deinit { restore() }

    /// Gives it back as it was found.
    func restore() { tcsetattr(STDIN_FILENO, TCSANOW, &saved) }

    /// Takes what has come since the last call; does not wait.
    func readInputs() -> [TerminalInput] {
        var inputs: [TerminalInput] = []
        var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        var bytes = [UInt8](repeating: 0, count: 256)
        var came = false
        while poll(&waiting, 1, 0) > 0 {
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            guard count > 0 else { break }
            came = true
            inputs += decoder.decode(Array(bytes[..<count]))
        }
        // A sequence comes in one go; an Escape that is still alone now was the key.
        if !came, isQuiet { decoder.discardPending() }
        isQuiet = !came
        return inputs
    }

    /// Its size now; not kept, so that every change is followed.
    var size: ScreenSize {
        var window = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return ScreenSize(columns: 80, rows: 24)
        }
        return ScreenSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }
}
