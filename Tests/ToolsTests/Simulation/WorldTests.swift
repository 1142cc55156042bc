// SPDX-License-Identifier: Apache-2.0
import Base
import SimulatedWorld
import Simulation
import Testing

private func length(_ vector: SIMD3<Double>) -> Double { (vector * vector).sum().squareRoot() }

private func world(_ script: String, seed: UInt64 = 1) throws -> World { try World(script: script, seed: seed) }

@Test func theWorldIsAFunctionOfTimeAndSeed() throws {
    let (first, second) = (try world("rest 60s; walk 30s"), try world("rest 60s; walk 30s"))
    let other = try world("rest 60s; walk 30s", seed: 2)
    let times = (0..<900).map { at(Double($0) / 10) }
    #expect(times.map(first.acceleration) == times.reversed().map(second.acceleration).reversed())
    #expect(times.map(first.acceleration) != times.map(other.acceleration))
}

@Test(arguments: ["still 60s", "lie 60s", "turn 60s", "tone 60s"])
func whatDoesNotMoveFeelsOneGravity(_ script: String) throws {
    let world = try world(script)
    for second in 0..<60 {
        #expect(abs(length(world.acceleration(at: at(Double(second)))) - 1) < 0.005)
    }
}

@Test func turningTakesGravityRoundTheAxes() throws {
    let world = try world("turn 40s")
    let up = [0.0, 10, 20, 30].map { world.acceleration(at: at($0)) }
    for (felt, expected) in zip(up, [SIMD3(0.0, 0, 1), SIMD3(0, 1, 0), SIMD3(0, 0, -1), SIMD3(0, -1, 0)]) {
        #expect(length(felt - expected) < 1e-9)
    }
}

/// A count of the steps as a pedometer would: upward crossings of the vector's length through 1 g.
@Test func walkingHasItsStepRate() throws {
    let world = try world("walk 100s")
    let lengths = (0..<10_000).map { length(world.acceleration(at: at(Double($0) / 100))) }
    let smooth = (10..<9_990).map { lengths[($0 - 10)..<($0 + 10)].reduce(0, +) / 20 }
    let steps = zip(smooth, smooth.dropFirst()).filter { $0 < 1 && $1 >= 1 }.count
    #expect(abs(steps - 180) <= 2)
}

@Test func theFieldTurnsWithTheHeadingAndKeepsItsStrength() throws {
    let world = try world("still 10s; still 10s; still 10s; still 10s")
    let felt = [5.0, 15, 25, 35].map { world.magneticField(at: at($0)) }
    for (vector, expected) in zip(
        felt, [SIMD3(20.0, 0, -44), SIMD3(0, 20, -44), SIMD3(-20, 0, -44), SIMD3(0, -20, -44)])
    {
        #expect(length(vector - expected) < 1e-9)
    }
}

@Test func positionMovesOnlyWhileWalking() throws {
    let world = try world("walk 100s; rest 50s; walk 100s")
    let start = world.position(at: at(0))
    let north = world.position(at: at(100))
    #expect(abs((north.latitude - start.latitude) * 111_320 - 130) < 0.01)
    #expect(world.position(at: at(149)) == world.position(at: at(120)))
    #expect(world.position(at: at(200)).latitude < north.latitude, "the third segment goes south")
}

@Test func theTimelineRepeats() throws {
    let world = try world("walk 10s; rest 5s")
    let scene = world.scene(at: at(32))
    #expect(scene.activity == .walk && scene.seconds == 2 && scene.repetition == 2 && scene.segment == 0)
    #expect(world.scene(at: at(10)).activity == .rest)
}

@Test func aRecordingIsFeltAsItWas() throws {
    let samples = (0..<50).map { SIMD3(Double($0), 0, 1) }
    let motion = try #require(RecordedMotion(samples: samples, rate: 50))
    let world = try World(script: "still 10s; replay", recording: motion)
    #expect(world.acceleration(at: at(10)) == samples[0])
    #expect(abs(world.acceleration(at: at(10.5)).x - 25) < 1e-6)
    #expect(abs(world.acceleration(at: at(10.51)).x - 25.5) < 1e-6)
    #expect(world.scene(at: at(11)).activity == .still)
}

/// Its last sample lies as far before the first as any before the next.
@Test(arguments: [
    (0.0, 0.0), (0.01, 0.5), (0.98, 49), (0.99, 24.5), (1, 0), (1.01, 0.5), (-0.01, 24.5), (-0.5, 25), (-1, 0),
])
func aRecordingGoesRoundWithoutAJump(seconds: Double, felt: Double) throws {
    let motion = try #require(RecordedMotion(samples: (0..<50).map { SIMD3(Double($0), 0, 1) }, rate: 50))
    #expect(abs(motion.acceleration(at: seconds).x - felt) < 1e-6)
}
