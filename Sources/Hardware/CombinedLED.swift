// SPDX-License-Identifier: Apache-2.0

/// Three lights in one housing, each with its own line or channel, as one coloured light.
public final class CombinedLED: Indicator {
    private let parts: [(light: any Indicator, level: @Sendable (LightColour) -> UInt8)]

    /// A light of these three; they belong to it from now on.
    public init(red: any Indicator, green: any Indicator, blue: any Indicator) {
        parts = [(red, \.red), (green, \.green), (blue, \.blue)]
    }

    deinit { close() }

    public var isColoured: Bool { true }

    public func show(_ colour: LightColour) throws(SystemError) {
        for (light, level) in parts {
            let value = level(colour)
            try light.show(LightColour(red: value, green: value, blue: value))
        }
    }

    public func close() { for part in parts { part.light.close() } }
}
