// SPDX-License-Identifier: Apache-2.0
import Commands
import Glibc
import SystemKit
import Terminal

/// The board that `DemoView` draws on a terminal's second screen, where only what has changed is written. The
/// first screen comes back when it is closed.
///
/// From `open` to `close` standard error, where it is a terminal too, goes through a pipe, so that it
/// lands in the drawing's log (`takeErrorLines`) and not across the drawing.
final class DrawnBoard {
    private let terminal: RawTerminal
    private let colours = Output.takesColours
    private var shown: ScreenFrame?
    private var isOpen = false
    /// The saved standard error and the pipe's reading end; nil while it is not redirected.
    private var errors: (saved: CInt, pipe: CInt)?
    /// The beginning of a line whose end has not come yet.
    private var partial: [UInt8] = []

    init(_ terminal: RawTerminal) { self.terminal = terminal }

    deinit { close() }

    /// Takes the screen. A stopped program could not give it back, so Ctrl-Z is ignored.
    func open() {
        guard !isOpen else { return }
        isOpen = true
        signal(SIGTSTP, SIG_IGN)
        // Another screen, no cursor, no wrapping at the right edge.
        Output.text("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l" + KeyboardProtocol.begin)
        var ends: [CInt] = [-1, -1]
        guard isatty(STDERR_FILENO) == 1, pipe(&ends) == 0 else { return }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        errors = (dup(STDERR_FILENO), ends[0])
        dup2(ends[1], STDERR_FILENO)
        Glibc.close(ends[1])
    }

    /// Draws what has changed since the last time; everything after a change of size.
    func draw(_ picture: BoardPicture) {
        let frame = BoardScreen.frame(picture, size: terminal.size)
        let update = frame.update(from: shown, colours: colours)
        shown = frame
        if !update.isEmpty { Output.text(update) }
    }

    /// Makes the next `draw` write every cell.
    func redraw() { shown = nil }

    /// Whole lines that were written to standard error since the last call.
    func takeErrorLines() -> [String] {
        guard let errors else { return [] }
        var bytes = [UInt8](repeating: 0, count: 4096)
        while case let count = read(errors.pipe, &bytes, bytes.count), count > 0 { partial += bytes[..<count] }
        var lines: [String] = []
        while let end = partial.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(String(decoding: partial[..<end], as: UTF8.self))
            partial.removeFirst(end + 1)
        }
        return lines
    }

    /// Gives the screen back. Calling it again does nothing.
    func close() {
        guard isOpen else { return }
        isOpen = false
        // A terminal without a second screen is left empty, not with half a drawing.
        Output.text(KeyboardProtocol.end + "\u{1B}[2J\u{1B}[H\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
        if let errors {
            dup2(errors.saved, STDERR_FILENO)
            Glibc.close(errors.saved)
            for line in takeErrorLines() { Output.remark(line) }
            if !partial.isEmpty { Output.remark(String(decoding: partial, as: UTF8.self)) }
            Glibc.close(errors.pipe)
        }
        errors = nil
    }
}
