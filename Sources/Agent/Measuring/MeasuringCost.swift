// SPDX-License-Identifier: Apache-2.0

/// What measuring costs the device, for `status`.
public struct MeasuringCost: Sendable, Hashable {
    /// How often the threads of the buses and of the microphone woke up.
    public var wakeUps = 0
    /// How often a chip's watermark or a period of sound was fetched: as many wake-ups would do if each came in time and alone.
    public var watermarks = 0
    /// Memory of all rings, locked or not.
    public var ringBytes = 0

    public init() {}
}
