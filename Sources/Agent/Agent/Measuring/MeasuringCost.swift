// SPDX-License-Identifier: Apache-2.0

/// What measuring costs the device, for `status`.
package struct MeasuringCost: Sendable, Hashable {
    /// How often the threads of the buses and of the microphone woke up.
    package var wakeUps = 0
    /// How often a chip's watermark or a period of sound was fetched: as many wake-ups would do if
    /// each came in time and alone.
    package var watermarks = 0
    /// Memory of all rings, locked or not.
    package var ringBytes = 0

    package init() {}
}
