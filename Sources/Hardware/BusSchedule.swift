// SPDX-License-Identifier: Apache-2.0
import Times

/// The devices of one bus and when they want to be served. No clock and no thread: a bus thread steps it in real time,
/// a simulation in virtual time.
public struct BusSchedule {
    /// Devices due within this time of each other are served in one wake-up.
    public static let window: Duration = .milliseconds(1)

    private let devices: [any PolledDevice]

    /// A schedule of these devices.
    public init(_ devices: [any PolledDevice]) { self.devices = devices }

    /// When the next device is due; nil without devices.
    public var due: MonotonicTime? { devices.lazy.map(\.due).min() }

    /// Serves every device that is due by `now` or within the window after it; how many were served.
    @discardableResult
    public func serve(at now: MonotonicTime) -> Int {
        var served = 0
        for device in devices where device.due <= now + Self.window {
            device.serve(at: now)
            served += 1
        }
        return served
    }
}
