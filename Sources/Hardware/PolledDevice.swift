// SPDX-License-Identifier: Apache-2.0
import Times

/// What a bus thread serves: a device that says when it next wants to be read.
///
/// Not `Sendable`: it is given to its thread and lives there alone.
public protocol PolledDevice: AnyObject {
    /// When it next wants to be served; the thread serves all devices that are due within a millisecond together.
    var due: MonotonicTime { get }
    /// Reads what is there into its ring. Errors are counted and turned into gaps, never thrown: the bus goes on.
    func serve(at now: MonotonicTime)
}
