// SPDX-License-Identifier: Apache-2.0
import Base

/// What a bus thread serves: a device that says when it next wants to be read, as `SampledDevice` and
/// `IIOReader` do. One with an interrupt line implements both `serve`s, any other only the one without an edge.
///
/// Not `Sendable`: it is given to its thread and lives there alone.
package protocol PolledDevice: AnyObject {
    /// When it wants to be served at the latest.
    var due: MonotonicTime { get }
    /// From when on it may be served when another device has woken the thread.
    var ready: MonotonicTime { get }
    /// The line by which it says that it wants to be served; nil without one.
    var interrupt: (any InterruptLine)? { get }
    /// Reads what is there into its ring. Errors are counted and turned into gaps, never
    /// thrown: the bus goes on. `edge` is the time of its interrupt line's edge, where that is
    /// what woke the thread.
    func serve(at now: MonotonicTime, edge: MonotonicTime?)
    func serve(at now: MonotonicTime)
}

extension PolledDevice {
    /// A millisecond before it is due.
    package var ready: MonotonicTime { due - BusSchedule.window }
    package var interrupt: (any InterruptLine)? { nil }
    package func serve(at now: MonotonicTime, edge: MonotonicTime?) { serve(at: now) }
}
