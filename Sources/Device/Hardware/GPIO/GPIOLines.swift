// SPDX-License-Identifier: Apache-2.0
import Base
import CGPIO
import SystemKit

/// Lines of a GPIO chip as inputs with edges, stamped by the kernel's interrupt. Used by one thread only.
///
/// `GPIOButtons` calls `read` for button edges; `InterruptLine` calls `readNewestRise` for a sensor's
/// data-ready line.
package final class GPIOLines {
    /// What pulls an open line; the raw value is the `bias` of board files.
    package enum Bias: String, Sendable, CaseIterable {
        /// To the supply: a button that connects to ground.
        case pullUp = "pull-up"
        /// To ground: a button that connects to the supply.
        case pullDown = "pull-down"
        /// Nothing: a resistor on the board does it.
        case disabled = "none"
        /// Whatever the device tree or the firmware has set.
        case asIs = "as-is"
    }

    /// A line changed, in logical terms: an active-low line that went to 0 V became active.
    package struct EdgeEvent: Sendable, Hashable {
        package let line: UInt32
        package let isActive: Bool
        /// CLOCK_MONOTONIC (kernel 5.7 and later).
        package let time: MonotonicTime
    }

    private let chip: String
    /// Edges that happened but were never delivered, of all lines: for a reader that is late the kernel keeps
    /// 64 a line with libgpiod 2.x (`EVENT_CAPACITY` of CGPIO.c), 16 with 1.x. They show as jumps of the
    /// sequence numbers with 2.x, as two edges in a row with the same direction with 1.x.
    package private(set) var missedEdges = 0
    private let request: OpaquePointer
    /// By line: what finds the missed edges.
    private var sequences: [UInt32: EdgeSequence] = [:]

    /// Takes lines of a chip, `/dev/gpiochip0`, `gpiochip0` or `gpio:LABEL`.
    package init(
        chip: String, lines: [UInt32], bias: Bias = .asIs, isActiveLow: Bool = false, consumer: String = "studyd"
    ) throws(GPIOError) {
        let chip = try Self.path(chip)
        var step = CGPIO_STEP_NONE
        guard let request = cgpio_inputs_request(chip, lines, lines.count, bias.value, isActiveLow, consumer, &step)
        else { throw Self.error(chip, lines, step) }
        self.chip = chip
        self.request = request
    }

    deinit { cgpio_inputs_release(request) }

    /// What becomes readable when a line changed.
    package var descriptor: CInt { cgpio_inputs_descriptor(request) }

    /// The edges that wait, at most 64; never blocks.
    package func read() throws(SystemError) -> [EdgeEvent] {
        var edges = [cgpio_edge](repeating: cgpio_edge(), count: 64)
        let count = cgpio_inputs_read(request, &edges, edges.count)
        guard count >= 0 else { throw SystemError.last("read edges of", chip) }
        return edges.prefix(Int(count)).map {
            missedEdges += sequences[$0.offset, default: EdgeSequence()].countMissed(
                number: $0.sequence, isActive: $0.active)
            return EdgeEvent(line: $0.offset, isActive: $0.active, time: MonotonicTime(nanoseconds: $0.nanoseconds))
        }
    }

    /// The time of the newest edge to active among those that wait; takes them all,
    /// without an array.
    func readNewestRise() throws(SystemError) -> MonotonicTime? {
        var newest: MonotonicTime?
        var count: CInt = 0
        repeat {
            count = withUnsafeTemporaryAllocation(of: cgpio_edge.self, capacity: 16) { edges in
                let count = cgpio_inputs_read(request, edges.baseAddress, 16)
                for index in 0..<Int(max(0, count)) where edges[index].active {
                    newest = MonotonicTime(nanoseconds: edges[index].nanoseconds)
                }
                return count
            }
        } while count == 16
        guard count >= 0 else { throw SystemError.last("read edges of", chip) }
        return newest
    }

    package func isActive(_ line: UInt32) throws(SystemError) -> Bool {
        let value = cgpio_inputs_value(request, line)
        guard value >= 0 else { throw SystemError.last("read line \(line) of", chip) }
        return value == 1
    }

    /// The device file of a chip that may be given by its name or label.
    static func path(_ chip: String) throws(GPIOError) -> String {
        do { return try GPIOChipName(parsing: chip).path() } catch let error as GPIOError { throw error } catch {
            return chip  // an odd path; the kernel says what is wrong with it
        }
    }

    /// The error of a request that has just failed on this thread, at that step, while `errno` still says why.
    static func error(_ chip: String, _ lines: [UInt32], _ step: cgpio_step) -> GPIOError {
        let cause = SystemError.last(step == CGPIO_STEP_CHIP ? "open" : "request lines of", chip)
        guard step != CGPIO_STEP_CHIP else { return GPIOError(chip: chip, lines: [], cause: cause) }
        return GPIOError(chip: chip, lines: lines, cause: cause, holders: holders(of: lines, on: chip))
    }

    /// Which of these lines are in use, and by whom.
    private static func holders(of lines: [UInt32], on chip: String) -> [GPIOError.Holder] {
        lines.compactMap { line in
            GPIOChipName.text { cgpio_line_consumer(chip, line, $0, $1) }.map {
                GPIOError.Holder(line: line, consumer: $0)
            }
        }
    }
}

extension GPIOLines.Bias {
    fileprivate var value: cgpio_bias {
        switch self {
        case .asIs: CGPIO_BIAS_AS_IS
        case .disabled: CGPIO_BIAS_DISABLED
        case .pullUp: CGPIO_BIAS_PULL_UP
        case .pullDown: CGPIO_BIAS_PULL_DOWN
        }
    }
}

/// Tells how many edges of one line are missing between those that arrive. Pure.
struct EdgeSequence: Sendable, Equatable {
    private var number: UInt32 = 0
    private var isActive: Bool?

    /// How many are missing before this one. `number` counts the line's edges from 1; where it is 0
    /// the kernel does not count, and two edges of the same direction have at least one between
    /// them.
    mutating func countMissed(number: UInt32, isActive: Bool) -> Int {
        defer {
            self.number = number
            self.isActive = isActive
        }
        return number == 0 ? (self.isActive == isActive ? 1 : 0) : Int(number &- self.number &- 1)
    }
}
