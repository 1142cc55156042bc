// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// The panel's buttons as lines of a GPIO chip, without their bouncing.
package final class GPIOButtons: ButtonSource {
    /// Who takes the bouncing out.
    package enum Debouncing: Sendable, Hashable {
        /// The kernel (libgpiod 2.x): a bouncing contact does not wake us. It stamps when the line
        /// has come to rest, so the period is taken off again; what is left is the length of the
        /// bouncing and a tick or two of the kernel (3 to 6 ms late on a kernel of 250 Hz,
        /// measured on gpio-sim).
        case kernel
        /// A `Debouncer` here: the time is that of the first contact.
        case process

        /// The kernel where it can.
        package static var automatic: Debouncing { GPIOLines.canDebounce ? .kernel : .process }
    }

    private let lines: GPIOLines
    private let offsets: [UInt32]
    private let buttons: [UInt32: Int]
    /// What the kernel's times are late by.
    private let lateness: Duration
    private var debouncers: [Debouncer]
    private var missed = MissedEdges()

    /// Takes the lines in the board's order of buttons. A button to ground has
    /// `isActiveLow` and `.pullUp`.
    package init(
        chip: String, lines: [UInt32], bias: GPIOLines.Bias, isActiveLow: Bool, debouncePeriod: Duration,
        debouncing: Debouncing = .automatic
    ) throws(GPIOError) {
        lateness = debouncing == .kernel ? debouncePeriod : .zero
        let requested = try GPIOLines(
            chip: chip, lines: lines, bias: bias, isActiveLow: isActiveLow, kernelDebounce: lateness)
        self.lines = requested
        offsets = lines
        buttons = Dictionary(zip(lines, lines.indices), uniquingKeysWith: { first, _ in first })
        let period = debouncing == .process ? debouncePeriod : .zero
        debouncers = lines.map { line in
            Debouncer(period: period, isPressed: (try? requested.isActive(line)) ?? false)
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
            return self.edges(button, debouncers[button].edge(isPressed: event.isActive, at: event.time - lateness))
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
