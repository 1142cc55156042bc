// SPDX-License-Identifier: Apache-2.0
import Device
import Testing

@Suite struct PlausibilityTests {
    @Test(
        arguments: [
            (SIMD3(0, 0, 1), true), (SIMD3(0.577, -0.577, 0.577), true), (SIMD3(0, 0, 0.89), false),
            (SIMD3(0, 0, -1.11), false), (SIMD3(0, 0, 0), false),
        ] as [(SIMD3<Double>, Bool)])
    func gravityIsOneWhateverThePosition(_ mean: SIMD3<Double>, _ isPlausible: Bool) {
        #expect(Plausibility.gravity(mean).isPlausible == isPlausible)
    }

    @Test(
        arguments: [
            (SIMD3(18, -5, 42), true), (SIMD3(0, 0, 19), false), (SIMD3(0, 0, 71), false), (SIMD3(.nan, 0, 40), false),
        ] as [(SIMD3<Double>, Bool)])
    func theFieldIsThatOfTheEarth(_ mean: SIMD3<Double>, _ isPlausible: Bool) {
        #expect(Plausibility.field(mean).isPlausible == isPlausible)
    }

    @Test func framesOfSixAxesAreJudgedByTheirAccelerometer() {
        let source = SourceDescription(
            kind: .accelerometer, device: "LSM6DSO", location: "",
            channels: Channel.rotation(scale: 1)
                + Channel.acceleration(scale: 0.001), nominalRate: 100, fullScale: 8)
        let frames = [980, 1020].map { VectorFrame(values: SIMD8(5, 5, 5, 0, 0, $0, 0, 0), count: 6) }
        #expect(Plausibility.check(frames, of: source).map(\.description) == ["gravity 1 g"])
        #expect(Plausibility.check([], of: source).isEmpty)
        let free = [VectorFrame(values: .zero, count: 6)]
        #expect(
            Plausibility.check(free, of: source).map(\.description) == [
                "gravity 0 g is not 0.9 to 1.1: keep the device still, and check which chip is fitted: similar chips differ in scale; otherwise replace it"
            ])
    }
}
