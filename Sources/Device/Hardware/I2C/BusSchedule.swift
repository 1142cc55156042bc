// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// The devices of one bus and when they want to be served. No clock and no thread: `BusThread` steps it in real
/// time, a simulation in virtual time.
package struct BusSchedule {
    /// How much before `due` a device may be served when another one wakes the thread, unless it has a
    /// `ready` that says otherwise.
    package static let window: Duration = .milliseconds(1)

    private let devices: [any PolledDevice]

    package init(_ devices: [any PolledDevice]) { self.devices = devices }

    /// When the next device is due; nil without devices.
    package var due: MonotonicTime? {
        var due: MonotonicTime?
        for device in devices {
            let next = device.due
            if due.map({ next < $0 }) ?? true { due = next }
        }
        return due
    }

    package var interrupts: [CInt] { devices.compactMap { $0.interrupt?.descriptor } }

    /// Serves every device that is ready by `now`; how many were served. `clock` tells the later
    /// ones how long the earlier ones have taken.
    @discardableResult
    package func serve(at now: MonotonicTime, clock: (() -> MonotonicTime)? = nil) -> Int {
        var served = 0
        for device in devices where device.ready <= now {
            device.serve(at: served == 0 ? now : clock?() ?? now)
            // Reading lets the line fall, which is no reason to wake up.
            if let line = device.interrupt { _ = try? line.readEdge() }
            served += 1
        }
        return served
    }

    /// Serves the device with the readable interrupt line, if it rose, and with it those that are
    /// ready; how many were served. Throws when the line can no longer be read.
    @discardableResult
    package func serveInterrupt(
        _ descriptor: CInt, at now: MonotonicTime, clock: (() -> MonotonicTime)? = nil
    ) throws(SystemError) -> Int {
        var served = 0
        for device in devices {
            guard let line = device.interrupt, line.descriptor == descriptor else { continue }
            // Twice at most: a second edge may have come meanwhile, a third is for the next turn.
            for _ in 0..<2 {
                guard let edge = try line.readEdge() else { break }
                device.serve(at: served == 0 ? now : clock?() ?? now, edge: edge)
                served += 1
            }
        }
        return served + serve(at: clock?() ?? now, clock: clock)
    }
}
