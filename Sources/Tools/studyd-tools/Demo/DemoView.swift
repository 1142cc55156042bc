// SPDX-License-Identifier: Apache-2.0
import Commands
import Terminal

/// Where `Demo` shows what happens: line by line, or as the log of a drawn board.
final class DemoView {
    /// nil where lines are written as they come.
    let board: DrawnBoard?
    private let terminal: RawTerminal?
    /// The lines so far, the oldest first: drawn by `Demo`, and printed once the drawing is gone.
    private(set) var log: [String] = []
    private static let most = 2_000

    /// Draws on that terminal, unless it is to be plain lines; nil = lines.
    init(_ terminal: RawTerminal?, isPlain: Bool) {
        self.terminal = terminal
        board = isPlain ? nil : terminal.map(DrawnBoard.init)
    }

    func line(_ text: String) {
        guard board != nil else { return Output.line(text) }
        log.append(text)
        if log.count > Self.most { log.removeFirst(log.count - Self.most) }
    }

    /// Ends the drawing; its text stays to be read above what follows. The terminal is given back.
    func close() {
        terminal?.restore()
        guard let board else { return }
        board.close()
        for line in log { Output.line(line) }
        log = []
    }
}
