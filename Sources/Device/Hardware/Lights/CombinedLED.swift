// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// Three lights in one housing, each with its own line or channel, as one coloured light. `LightName` opens it
/// where the board file joins three names by ` + `.
package final class CombinedLED: Indicator {
    private let parts: [(light: any Indicator, level: @Sendable (LightColour) -> UInt8)]

    /// A light of these three; they belong to it from now on.
    package init(red: any Indicator, green: any Indicator, blue: any Indicator) {
        parts = [(red, \.red), (green, \.green), (blue, \.blue)]
    }

    deinit { close() }

    package var isColoured: Bool { true }

    /// Each light gets its component as grey, one after the other; throws at the first that fails,
    /// the rest unchanged.
    package func show(_ colour: LightColour) throws(SystemError) {
        for (light, level) in parts {
            let value = level(colour)
            try light.show(LightColour(red: value, green: value, blue: value))
        }
    }

    /// Darkens all three for good.
    package func close() { for part in parts { part.light.close() } }
}
