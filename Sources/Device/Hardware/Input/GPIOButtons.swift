// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// The panel's buttons as lines of a GPIO chip, without their bouncing, which a `Debouncer` here takes out.
/// `ButtonOpener` makes it.
///
/// The kernel could do that, too (GPIO_V2_LINE_ATTR_ID_DEBOUNCE, `debounce_setup` of its drivers/gpio/gpiolib-cdev.c). But
/// it stamps when the line has been at rest for the period, rounded up to its ticks, and not at the first contact; a line
/// with hum, which never rests, falls silent; and chips that debounce by themselves refuse periods of which they are not
/// capable (gpio-omap: 8 ms).
package final class GPIOButtons: ButtonSource {
    private let lines: GPIOLines
    private let offsets: [UInt32]
    private let buttons: [UInt32: Int]
    private var debouncers: [Debouncer]
    private var missed = MissedEdges()

    /// Takes the lines in the board's order of buttons. A button to ground has
    /// `isActiveLow` and `.pullUp`.
    package init(
        chip: String, lines: [UInt32], bias: GPIOLines.Bias, isActiveLow: Bool, debouncePeriod: Duration
    ) throws(GPIOError) {
        let requested = try GPIOLines(chip: chip, lines: lines, bias: bias, isActiveLow: isActiveLow)
        self.lines = requested
        offsets = lines
        buttons = Dictionary(zip(lines, lines.indices), uniquingKeysWith: { first, _ in first })
        debouncers = lines.map { line in
            Debouncer(period: debouncePeriod, isPressed: (try? requested.isActive(line)) ?? false)
        }
    }

    /// Of the line request; owned by the lines, so it must not be closed.
    package var descriptor: CInt { lines.descriptor }
    /// The earliest moment at which a debouncer has waited long enough; nil while none waits.
    package var due: MonotonicTime? { debouncers.compactMap(\.due).min() }
    /// Edges that happened but were never delivered; what was pressed meanwhile is unknown.
    package var missedEdges: Int { lines.missedEdges }

    /// Edges at the time of the contact, CLOCK_MONOTONIC; button numbers are positions
    /// among the lines.
    package func read() throws(SystemError) -> [ButtonEdge] {
        let edges = try lines.read().flatMap { event -> [ButtonEdge] in
            guard let button = buttons[event.line] else { return [] }
            return self.edges(button, debouncers[button].edge(isPressed: event.isActive, at: event.time))
        }
        return missed.mark(edges, missed: missedEdges)
    }

    /// Changes that were hidden by bouncing and have stayed, for all buttons that are due.
    package func settle(at now: MonotonicTime) -> [ButtonEdge] {
        let edges = debouncers.indices.flatMap { button -> [ButtonEdge] in
            guard let due = debouncers[button].due, due <= now else { return [] }
            let level = try? lines.isActive(offsets[button])
            return self.edges(button, debouncers[button].settle(at: now, isPressed: level))
        }
        return missed.mark(edges, missed: missedEdges)
    }

    private func edges(_ button: Int, _ changes: [Debouncer.Change]) -> [ButtonEdge] {
        changes.map { ButtonEdge(button: button, $0) }
    }
}
