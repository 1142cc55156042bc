// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import Device

/// Held to the `Madgwick` of PyPI's `ahrs` (Mayitzin/ahrs), which others wrote, sample by sample,
/// and to what is true of a device at rest.
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

    struct Sample {
        let seconds: Double
        let gyro: SIMD3<Double>
        let acc: SIMD3<Double>
        let mag: SIMD3<Double>
    }

    /// Motion as a wrist makes it, and a magnetic field: turns about all axes, a
    /// walk's shocks, noise.
    private static let computed: [Sample] = (0..<2_000).map {
        let t = Double($0) / 100
        return Sample(
            seconds: t, gyro: SIMD3(0.8 * sin(t), 0.5 * cos(1.3 * t), 0.3 * sin(0.7 * t + 1)),
            acc: SIMD3(0.2 * sin(2 * t) + 0.1, 0.3 * cos(t), 0.95 + 0.2 * sin(11 * t)),
            mag: SIMD3(20 * cos(0.3 * t), 20 * sin(0.3 * t), -44 + 2 * sin(t)))
    }

    /// 135 seconds of x-io's own device, turned by hand about each of its axes and laid down
    /// between: `Examples/Python/sensor_data.csv` of xioTechnologies/Fusion (d69784c8), with the
    /// times as they were measured, 7 to 30 ms apart.
    private static let recorded: [Sample] = {
        guard let path = getenv("STUDYD_IMU_CSV").map({ String(cString: $0) }), let file = fopen(path, "r") else {
            print("SKIPPED: STUDYD_IMU_CSV does not name sensor_data.csv of github xioTechnologies/Fusion")
            return []
        }
        defer { fclose(file) }
        var samples: [Sample] = []
        while let line = readLine(of: file) {
            let n = line.split(separator: ",").compactMap { Double($0) }
            guard n.count == 10 else { continue }
            samples.append(
                Sample(
                    seconds: n[0], gyro: SIMD3(n[1], n[2], n[3]) * (.pi / 180), acc: SIMD3(n[4], n[5], n[6]),
                    mag: SIMD3(n[7], n[8], n[9])))
        }
        return samples
    }()

    private static func readLine(of file: UnsafeMutablePointer<FILE>) -> String? {
        var line: UnsafeMutablePointer<CChar>?
        var room = 0
        defer { free(line) }
        let count = getline(&line, &room, file)
        guard count > 0, let line else { return nil }
        return String(cString: line).split(whereSeparator: \.isNewline).first.map { String($0) } ?? ""
    }

    @Test(
        .enabled(if: python != nil, "PyPI's ahrs is not installed"), .timeLimit(.minutes(10)), arguments: [false, true])
    func everyQuaternionIsThatOfAnotherImplementation(hasField: Bool) throws {
        try hold(Self.computed, hasField)
    }

    @Test(
        .enabled(if: python != nil, "PyPI's ahrs is not installed"),
        .enabled(if: !recorded.isEmpty, "STUDYD_IMU_CSV names no recording"), .timeLimit(.minutes(10)),
        arguments: [false, true])
    func soItIsOfWhatWasRecordedOfARealDevice(hasField: Bool) throws {
        #expect(Self.recorded.count == 13_514)
        try hold(Self.recorded, hasField)
    }

    /// While the real device lies still (below 3 degrees a second, and 1 g), gravity is the
    /// acceleration that is measured, and the user's is none.
    @Test(.enabled(if: !recorded.isEmpty, "STUDYD_IMU_CSV names no recording"))
    func gravityOfARealDeviceAtRestIsWhatItMeasures() {
        var filter = AttitudeFilter()
        var (last, errors): (Double?, [Double]) = (nil, [])
        for sample in Self.recorded {
            filter.add(
                rotation: sample.gyro, acceleration: sample.acc, after: sample.seconds - (last ?? sample.seconds))
            last = sample.seconds
            let force = (sample.acc * sample.acc).sum().squareRoot()
            guard (sample.gyro * sample.gyro).sum().squareRoot() < 0.05, abs(force - 1) < 0.02 else { continue }
            let left = sample.acc - filter.up
            errors.append((left * left).sum().squareRoot())
        }
        errors.sort()
        #expect(errors.count > 8_000)
        #expect(errors[errors.count / 2] < 0.01 && errors[errors.count * 95 / 100] < 0.035, "g")
    }

    /// Quaternion, and the direction of gravity that follows from it, sample by sample.
    private func hold(_ samples: [Sample], _ hasField: Bool) throws {
        let python = try #require(Self.python)
        let path = "/tmp/studyd-ahrs-\(getpid())-\(hasField)-\(samples.count).csv"
        defer { unlink(path) }
        var filter = AttitudeFilter()
        var (lines, last) = ("", samples.first?.seconds ?? 0)
        for sample in samples {
            let step = sample.seconds - last
            last = sample.seconds
            filter.add(
                rotation: sample.gyro, acceleration: sample.acc, field: hasField ? sample.mag : nil, after: step)
            let (q, up) = (filter.quaternion, filter.up)
            let numbers = [sample.gyro, sample.acc, sample.mag, up].flatMap { [$0.x, $0.y, $0.z] }
            lines += (numbers + [q.x, q.y, q.z, q.w, step]).map { "\($0)" }.joined(separator: ",") + "\n"
        }
        let script = """
            import sys, numpy as np
            from ahrs import Quaternion
            from ahrs.filters import Madgwick
            d = np.loadtxt(sys.argv[1], delimiter=","); has = sys.argv[2] == "true"
            q = d[0, 12:16]; m = Madgwick(frequency=100.0, gain=0.041 if has else 0.033); worst = 0.0
            for r in d[1:]:
                q = m.updateMARG(q, r[0:3], r[3:6], r[6:9], dt=r[16]) if has else m.updateIMU(q, r[0:3], r[3:6], dt=r[16])
                up = Quaternion(q).to_DCM().T @ [0.0, 0.0, 1.0]
                worst = max(worst, np.abs(np.array([*q], dtype=float) - r[12:16]).max(), np.abs(up - r[9:12]).max())
            print(worst); sys.exit(0 if worst < 1e-9 else 1)
            """
        let file = try #require(fopen(path, "w"))
        fputs(lines, file)
        fclose(file)
        #expect(system("'\(python)' -c '\(script)' \(path) \(hasField)") == 0)
    }

    /// However it lies, at rest up is where the acceleration points, and the turn of a whole
    /// circle leads back.
    @Test(arguments: [SIMD3(0.0, 0, 1), SIMD3(0, 0, -1), SIMD3(1, 0, 0), SIMD3(0.6, -0.8, 0), SIMD3(-0.48, 0.6, 0.64)])
    func atRestUpIsWhereTheAccelerationPoints(up: SIMD3<Double>) {
        var filter = AttitudeFilter()
        for _ in 0..<500 { filter.add(rotation: .zero, acceleration: up, after: 0.01) }
        let error = filter.up - up
        #expect((error * error).sum().squareRoot() < 2e-3)
    }

    private static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
        let x: Double = a.y * b.z - a.z * b.y
        let y: Double = a.z * b.x - a.x * b.z
        let z: Double = a.x * b.y - a.y * b.x
        return SIMD3(x, y, z)
    }

    /// Rodrigues: turned about an axis of length 1.
    private static func turned(_ vector: SIMD3<Double>, about axis: SIMD3<Double>, by angle: Double) -> SIMD3<Double> {
        let along: SIMD3<Double> = axis * (axis * vector).sum()
        let across: SIMD3<Double> = vector - along
        let side: SIMD3<Double> = cross(axis, across) * sin(angle)
        return along + across * cos(angle) + side
    }

    /// By its turning alone: what is fixed in the world turns the other way in the device.
    @Test(arguments: [SIMD3(1.0, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, -1), SIMD3(0.6, 0, -0.8), SIMD3(-0.48, 0.6, -0.64)])
    func upTurnsTheOtherWayInADeviceThatTurns(axis: SIMD3<Double>) {
        for angle in [0.5, 2, 2 * Double.pi] {
            let up = SIMD3(-0.48, 0.6, 0.64)
            var filter = AttitudeFilter(gain: 0)
            filter.add(rotation: .zero, acceleration: up, after: 0)
            for _ in 0..<2_000 { filter.add(rotation: axis * angle, acceleration: up, after: 1 / 2_000.0) }
            let error = filter.up - Self.turned(up, about: axis, by: -angle)
            #expect((error * error).sum().squareRoot() < 1e-4, "\(angle)")
        }
    }

    /// At rest both references agree with how it lies, whichever way that is: it stays so.
    @Test(arguments: [SIMD3(0.0, 0, 1), SIMD3(0, 0, -1), SIMD3(1, 0, 0), SIMD3(0.6, -0.8, 0), SIMD3(-0.48, 0.6, 0.64)])
    func atRestInAFieldItStaysAsItLies(up: SIMD3<Double>) {
        let level = abs(up.x) < 0.9 ? SIMD3(1.0, 0, 0) : SIMD3(0, 1, 0)
        let side = Self.cross(up, level)
        for degrees in stride(from: 0.0, to: 360, by: 30) {
            let north = Self.turned(side / (side * side).sum().squareRoot(), about: up, by: degrees * .pi / 180)
            var filter = AttitudeFilter()
            let field: SIMD3<Double> = 20 * north - 44 * up
            filter.add(rotation: .zero, acceleration: up, field: field, after: 0)
            let first = filter.quaternion
            for _ in 0..<300 { filter.add(rotation: .zero, acceleration: up, field: field, after: 0.01) }
            let (tilt, change) = (filter.up - up, filter.quaternion - first)
            #expect(
                (tilt * tilt).sum().squareRoot() < 5e-3 && (change * change).sum().squareRoot() < 5e-3, "\(degrees)")
        }
    }

    /// Lying level with x to the magnetic north the heading is 0, with x to the east 90: as
    /// a compass counts.
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

    /// 3e-15 degrees are less than the step between the numbers at 360.
    @Test(arguments: [1e-15, -1e-15]) func whatIsHardlyBesideTheNorthIsNotAt360(side: Double) {
        var filter = AttitudeFilter()
        filter.add(rotation: .zero, acceleration: SIMD3(0, 0, 1), field: SIMD3(20, side, -44), after: 0.01)
        #expect((0..<360).contains(filter.heading), "\(filter.heading)")
    }
}
