// SPDX-License-Identifier: Apache-2.0
import Times

/// The panel's buttons as lines of a GPIO chip, debounced here so that the time of a press is that of its first contact.
public final class GPIOButtons: ButtonSource {
    private let lines: GPIOLines
    private let buttons: [UInt32: Int]
    private var debouncers: [Debouncer]

    /// Takes the lines in the board's order of buttons. A button to ground has `isActiveLow` and `.pullUp`.
    public init(
        chip: String, lines: [UInt32], bias: GPIOLines.Bias, isActiveLow: Bool, debouncePeriod: Duration
    ) throws(GPIOError) {
        let requested = try GPIOLines(chip: chip, lines: lines, bias: bias, isActiveLow: isActiveLow)
        self.lines = requested
        buttons = Dictionary(zip(lines, lines.indices), uniquingKeysWith: { first, _ in first })
        debouncers = lines.map { line in
            Debouncer(period: debouncePeriod, isPressed: (try? requested.isActive(line)) ?? false)
        }
    }

    /// Of the line request; owned by the lines, so it must not be closed.
    public var descriptor: CInt { lines.descriptor }
    /// The earliest moment at which a debouncer has waited long enough; nil while none waits.
    public var due: MonotonicTime? { debouncers.compactMap(\.due).min() }

    /// Edges at the time of the first contact, CLOCK_MONOTONIC; button numbers are positions among the lines.
    public func read() throws(SystemError) -> [ButtonEdge] {
        try lines.read().flatMap { event -> [ButtonEdge] in
            guard let button = buttons[event.line] else { return [] }
            return edges(button, debouncers[button].edge(isPressed: event.isActive, at: event.time))
        }
    }

    /// Changes that were hidden by bouncing and have stayed, for all buttons whose `due` has come.
    public func settle(at now: MonotonicTime) -> [ButtonEdge] {
        debouncers.indices.flatMap { edges($0, debouncers[$0].settle(at: now)) }
    }

    private func edges(_ button: Int, _ changes: [Debouncer.Change]) -> [ButtonEdge] {
        changes.map { ButtonEdge(button: button, isPressed: $0.isPressed, time: $0.time) }
    }
}
