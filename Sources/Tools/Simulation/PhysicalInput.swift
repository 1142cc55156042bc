// SPDX-License-Identifier: Apache-2.0
import Base
import SimulatedWorld

/// What a simulated sensor measures: the truth, in the unit of the sensor, at a time.
package typealias Signal = @Sendable (MonotonicTime) -> SIMD3<Double>

/// What a board's simulated chips measure, as functions of monotonic time: of a `World` for `SimulatedBoard`,
/// of a `MadeLife` for made studies.
package struct PhysicalInput: Sendable {
    /// In g.
    package let acceleration: Signal
    /// In deg/s.
    package let rotation: Signal
    /// In µT.
    package let field: Signal
    /// Degrees Celsius; nil = the constant of each chip's `Specimen`. Only chips with the LIS3DH's
    /// registers use it.
    package let temperature: (@Sendable (MonotonicTime) -> Double)?

    package init(
        acceleration: @escaping Signal, rotation: @escaping Signal, field: @escaping Signal,
        temperature: (@Sendable (MonotonicTime) -> Double)? = nil
    ) {
        self.temperature = temperature
        self.acceleration = acceleration
        self.rotation = rotation
        self.field = field
    }

    package init(_ world: World) {
        acceleration = world.acceleration
        rotation = world.angularRate
        field = world.magneticField
        temperature = nil
    }
}
