// SPDX-License-Identifier: Apache-2.0
import Study

/// What sensors of a simulated participant feel while a recorder of a task runs, as `SimulatedRecorders` record it;
/// seconds count from its start.
package struct SimulatedBody: Sendable {
    /// g, in the device's axes.
    package let acceleration: @Sendable (Double) -> SIMD3<Double>
    /// deg/s.
    package let rotation: @Sendable (Double) -> SIMD3<Double>
    /// The magnetic field in µT.
    package let field: @Sendable (Double) -> SIMD3<Double>
    /// Sound from -1 to 1.
    package let sound: @Sendable (Double) -> Double
    /// Degrees north and east.
    package let place: @Sendable (Double) -> (latitude: Double, longitude: Double)

    package init(
        acceleration: @escaping @Sendable (Double) -> SIMD3<Double>,
        rotation: @escaping @Sendable (Double) -> SIMD3<Double>, field: @escaping @Sendable (Double) -> SIMD3<Double>,
        sound: @escaping @Sendable (Double) -> Double,
        place: @escaping @Sendable (Double) -> (latitude: Double, longitude: Double)
    ) {
        (self.acceleration, self.rotation, self.field) = (acceleration, rotation, field)
        (self.sound, self.place) = (sound, place)
    }
}
