// SPDX-License-Identifier: Apache-2.0
import Device
import Glibc
import Testing

@testable import Agent

/// The axes are those of Android's sensor coordinates: y is the direction that is read, z is up at
/// rest (a chip at rest feels +1 g there), and the field of the northern hemisphere points north
/// and down. What comes out follows AOSP's SensorManager.getRotationMatrix and getOrientation.
@Suite struct CompassReadingTests {
    private static func source(_ unit: Device.Unit, mounting: [[Double]]? = nil) -> SourceDescription {
        var source = SourceDescription(
            kind: unit == .microtesla ? .magnetometer : .accelerometer, device: "chip", location: "here",
            channels: ["x", "y", "z"].map { Channel(name: $0, unit: unit, scale: 0.001) }, nominalRate: 10, fullScale: 0
        )
        source.mounting = mounting
        return source
    }

    private static func frame(_ vector: [Double]) -> VectorFrame {
        var values = SIMD8<Int32>.zero
        for index in 0..<3 { values[index] = Int32((vector[index] * 1_000).rounded()) }
        return VectorFrame(values: values, count: 3)
    }

    /// The field where north is at that angle, clockwise, left of the y axis: a device that points
    /// so far east of north.
    private static func field(_ heading: Double, dip: Double = 60) -> [Double] {
        let (turn, down) = (heading * .pi / 180, dip * .pi / 180)
        return [-50 * cos(down) * sin(turn), 50 * cos(down) * cos(turn), -50 * sin(down)]
    }

    static func degrees(_ gravity: [Double], _ field: [Double]) -> Double? {
        var reading = CompassReading()
        for _ in 0..<3 {
            reading.add(frame(gravity), of: source(.standardGravity))
            reading.add(frame(field), of: source(.microtesla))
        }
        return reading.degrees
    }

    @Test(arguments: [0.5, 45, 90, 135, 180, 225, 270, 359])
    func aLevelDeviceTellsWhereItPoints(heading: Double) throws {
        let found = try #require(Self.degrees([0, 0, 1], Self.field(heading)))
        #expect(abs(found - heading) < 0.1, "\(found)")
    }

    /// Rolled by 40 degrees around its y axis, it points where it pointed.
    @Test(arguments: [0.5, 90, 200]) func aTiltIsTakenOut(heading: Double) throws {
        let angle = 40 * Double.pi / 180
        func rolled(_ v: [Double]) -> [Double] {
            [v[0] * cos(angle) + v[2] * sin(angle), v[1], -v[0] * sin(angle) + v[2] * cos(angle)]
        }
        let found = try #require(Self.degrees(rolled([0, 0, 1]), rolled(Self.field(heading))))
        #expect(abs(found - heading) < 0.1, "\(found)")
    }

    @Test func fallingAndAFieldAsUprightAsGravityTellNothing() {
        #expect(Self.degrees([0, 0, 0.01], Self.field(10)) == nil)
        #expect(Self.degrees([0, 0, 1], [0, 0, -50]) == nil)
        #expect(CompassReading().degrees == nil)
    }

    /// The chip's x is the device's y: of the same field another axis is read.
    @Test func theMountingOfTheChipsCounts() throws {
        let turn = [[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]
        var reading = CompassReading()
        reading.add(Self.frame([0, 0, 1]), of: Self.source(.standardGravity, mounting: turn))
        reading.add(Self.frame(Self.field(30)), of: Self.source(.microtesla, mounting: turn))
        let found = try #require(reading.degrees)
        #expect(abs(found - 120) < 0.1, "\(found)")
    }
}
