// SPDX-License-Identifier: Apache-2.0
import Device
import Glibc
import SystemKit
import Testing

@testable import Agent

/// The Sense HAT's own library has x ahead, y to the right and z down once it has negated the gyroscope's z, the
/// magnetometer's x and z, and the accelerometer's x and y, which it gives as gravity and not as what is felt (RTIMULib2
/// 3d62821f, RTIMULSM9DS1.cpp:385-395). Other drivers of an LSM9DS1 mirror one axis, too: lsm9ds1-rjg's driver.py has
/// `to_vector_left_to_right_hand_rule`, ArduPilot's AP_InertialSensor_LSM9DS1.cpp `-raw_data.z`.
@Suite struct SenseHATAxesTests {
    /// What the board's accelerometer and gyroscope, and its magnetometer, give in the device's axes.
    private static func turned(_ raw: SIMD3<Double>, chip: Int) throws -> SIMD3<Double> {
        let path = AgentFixture.package + "/boards/sense-hat.toml"
        let board = try BoardDescription(parsing: BoundedFile.text(path), file: path)
        guard let matrix = board.chips[chip].mounting?.matrix else { return raw }
        let rows = matrix.map { SIMD3<Double>($0[0], $0[1], $0[2]) }
        return SIMD3<Double>((rows[0] * raw).sum(), (rows[1] * raw).sum(), (rows[2] * raw).sum())
    }

    /// Of a level device that faces so far east of north; its y axis points to its right.
    @Test(arguments: [1.0, 45, 135, 200]) func itsCompassRunsClockwise(ahead: Double) throws {
        let turn = ahead * Double.pi / 180
        let field = SIMD3<Double>(25 * cos(turn), -25 * sin(turn), 43)
        let gravity = try Self.turned(SIMD3(0, 0, 1), chip: 0)
        let measured = try Self.turned(SIMD3(-field.x, field.y, -field.z), chip: 1)
        let found = try #require(
            CompassReadingTests.degrees([gravity.x, gravity.y, gravity.z], [measured.x, measured.y, measured.z]))
        #expect(abs(found - ahead - 90) < 0.1, "\(found)")
    }

    /// A quarter turn around x in a second, by which the right side comes down and the left one up.
    @Test func itsAttitudeFollowsTheGyroscope() throws {
        var filter = AttitudeFilter()
        for step in 0...100 {
            let angle = Double(step) / 200 * Double.pi
            filter.add(
                rotation: try Self.turned(SIMD3(.pi / 2, 0, 0), chip: 0),
                acceleration: try Self.turned(SIMD3(0, -sin(angle), cos(angle)), chip: 0), after: 0.01)
        }
        let up = filter.up
        #expect(abs(up.x) < 0.01 && up.y < -0.999 && abs(up.z) < 0.03, "\(up)")
    }
}
