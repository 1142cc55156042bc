// SPDX-License-Identifier: Apache-2.0
import Base

/// What one report said of the device itself; `FleetArchive` keeps the latest of each device, and its
/// `FleetCard` draws their course.
struct FleetTrend: Sendable, Hashable {
    let received: Instant
    /// Bytes of the disk.
    let free: Double?
    /// 0...1.
    let battery: Double?
    /// In °C.
    let temperature: Double?
    /// Items in the outbox.
    let waiting: Double?

    var json: JSONValue {
        .members([
            "received": .string(received.rfc3339()), "free": .measured(free), "battery": .measured(battery),
            "temperature": .measured(temperature), "waiting": .measured(waiting),
        ])
    }
}
