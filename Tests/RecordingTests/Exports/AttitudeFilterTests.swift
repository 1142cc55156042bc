// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import Recording

/// Held to PyPI's `ahrs` (Mayitzin/ahrs), whose `Madgwick` others wrote, sample by sample, and to what is true of a device at rest.
@Suite struct AttitudeFilterTests {
    /// `STUDYD_AHRS_PYTHON`, or the Python of the readers, where it has ahrs.
    private static let python: String? = {
        let names = ["STUDYD_AHRS_PYTHON", "STUDYD_PYTHON"]
        let paths: [String] = names.compactMap { name in getenv(name).map { String(cString: $0) } }
        let found = paths.first { path in system("'\(path)' -c 'import ahrs, numpy' 2>/dev/null") == 0 }
        if found == nil {
            print("SKIPPED: PyPI's ahrs is not installed; STUDYD_AHRS_PYTHON may name a Python that has it")
        }
        return found
    }()

    /// Six columns of motion as a wrist makes it, and a magnetic field: turns about all axes, a walk's shocks, noise.
    private static let samples: [(gyro: SIMD3<Double>, acc: SIMD3<Double>, mag: SIMD3<Double>)] = (0..<2_000).map {
        let t = Double($0) / 100
        let gyro = SIMD3(0.8 * sin(t), 0.5 * cos(1.3 * t), 0.3 * sin(0.7 * t + 1))
        let acc = SIMD3(0.2 * sin(2 * t) + 0.1, 0.3 * cos(t), 0.95 + 0.2 * sin(11 * t))
        return (gyro, acc, SIMD3(20 * cos(0.3 * t), 20 * sin(0.3 * t), -44 + 2 * sin(t)))
    }

    @Test(
        .enabled(if: python != nil, "PyPI's ahrs is not installed"), .timeLimit(.minutes(10)), arguments: [false, true])
    func everyQuaternionIsThatOfAnotherImplementation(hasField: Bool) throws {
        let python = try #require(Self.python)
        let path = "/tmp/studyd-ahrs-\(getpid())-\(hasField).csv"
        defer { unlink(path) }
        var filter = AttitudeFilter()
        var lines = ""
        for sample in Self.samples {
            filter.add(
                rotation: sample.gyro, acceleration: sample.acc, field: hasField ? sample.mag : nil, after: 0.01)
            let numbers = [
                sample.gyro.x, sample.gyro.y, sample.gyro.z, sample.acc.x, sample.acc.y, sample.acc.z, sample.mag.x,
                sample.mag.y, sample.mag.z, filter.quaternion.x, filter.quaternion.y, filter.quaternion.z,
                filter.quaternion.w,
            ]
            lines += numbers.map { "\($0)" }.joined(separator: ",") + "\n"
        }
        let script = """
            import sys, numpy as np
            from ahrs.filters import Madgwick
            d = np.loadtxt(sys.argv[1], delimiter=","); has = sys.argv[2] == "true"
            q = d[0, 9:]; m = Madgwick(frequency=100.0, gain=0.041 if has else 0.033); worst = 0.0
            for r in d[1:]:
                q = m.updateMARG(q, r[0:3], r[3:6], r[6:9]) if has else m.updateIMU(q, r[0:3], r[3:6])
                worst = max(worst, np.abs(np.array([*q], dtype=float) - r[9:]).max())
            print(worst); sys.exit(0 if worst < 1e-9 else 1)
            """
        let file = try #require(fopen(path, "w"))
        fputs(lines, file)
        fclose(file)
        #expect(system("'\(python)' -c '\(script)' \(path) \(hasField)") == 0)
    }

    /// However it lies, at rest up is where the acceleration points, and the turn of a whole circle leads back.
    @Test(arguments: [SIMD3(0.0, 0, 1), SIMD3(0, 0, -1), SIMD3(1, 0, 0), SIMD3(0.6, -0.8, 0), SIMD3(-0.48, 0.6, 0.64)])
    func atRestUpIsWhereTheAccelerationPoints(up: SIMD3<Double>) {
        var filter = AttitudeFilter()
        for _ in 0..<500 { filter.add(rotation: .zero, acceleration: up, after: 0.01) }
        let error = filter.up - up
        #expect((error * error).sum().squareRoot() < 2e-3)
    }

    /// Lying level with x to the magnetic north the heading is 0, with x to the east 90: as a compass counts.
    @Test(arguments: [
        (SIMD3(20.0, 0, -44), 0.0), (SIMD3(0, 20, -44), 90), (SIMD3(-20, 0, -44), 180), (SIMD3(0, -20, -44), 270),
    ])
    func theHeadingIsThatOfACompass(field: SIMD3<Double>, heading: Double) {
        var filter = AttitudeFilter()
        for _ in 0..<200 {
            filter.add(rotation: .zero, acceleration: SIMD3(0, 0, 1), field: field, after: 0.01)
        }
        let error = abs(filter.heading - heading)
        #expect(min(error, 360 - error) < 0.5, "\(filter.heading)")
    }
}
