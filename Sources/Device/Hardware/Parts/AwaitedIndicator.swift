// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// A light that may be missing. Once it is there, it shows what it was last asked to show. `BoardDevices` makes
/// one for each light.
///
/// `part` looks for it, when its owner polls it. A light that refuses counts as missing and is opened again.
/// Any thread.
package final class AwaitedIndicator: Indicator {
    package let part: AwaitedPart<any Indicator>
    /// As the board file says: a light that is not there cannot be asked.
    package let isColoured: Bool
    private let clock: any StudyClock
    private let wanted: WantedState<LightColour>

    package init(
        _ name: String, isColoured: Bool, clock: any StudyClock, open: @escaping @Sendable () throws -> any Indicator
    ) {
        let wanted = WantedState(LightColour.off)
        self.wanted = wanted
        self.isColoured = isColoured
        self.clock = clock
        part = AwaitedPart(name, at: clock.monotonic) {
            let light = try open()
            let colour = wanted.value
            if colour != .off { try light.show(colour) }
            return light
        } found: { light in
            // It may have been asked for another colour while `open` ran.
            try? wanted.drive { try light.show($0) }
        }
    }

    /// Does nothing while it is missing, which `part.fault` says.
    package func show(_ colour: LightColour) throws(SystemError) {
        wanted.value = colour
        guard let light = part.device else { return }
        do throws(SystemError) {
            try wanted.drive { (colour) throws(SystemError) in try light.show(colour) }
        } catch {
            part.lose(error, at: clock.monotonic)
            throw error
        }
    }

    package func close() {
        wanted.value = .off
        part.device?.close()
    }
}
