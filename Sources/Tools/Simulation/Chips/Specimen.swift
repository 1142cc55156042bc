// SPDX-License-Identifier: Apache-2.0

/// How one individual simulated chip differs from its datasheet. `SimulatedBoard` makes one for each chip, and
/// so do tests.
package struct Specimen: Sendable, Hashable {
    /// True rate over nominal rate, minus 1.
    package var rateError: Double
    /// Standard deviation of the noise on each axis, in the unit of the sensor.
    package var noise: Double
    package var seed: UInt64
    /// How far its sensing elements follow the force of a self-test: 1 as they should, 0
    /// when they are stuck.
    package var response: Double
    /// Degrees Celsius of the chip.
    package var temperature = 31.5

    package init(rateError: Double = 0.008, noise: Double = 0, seed: UInt64 = 1, response: Double = 1) {
        self.rateError = rateError
        self.noise = noise
        self.seed = seed
        self.response = response
    }
}
