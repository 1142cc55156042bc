// SPDX-License-Identifier: Apache-2.0
import Glibc
import SimulatedWorld
import Simulation
import Testing

/// dB of the frames' mean square, where a full-scale sine has the simulated full scale.
private func level(_ frames: [Int16]) -> Double {
    let square = frames.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(frames.count)
    return 10 * log10(square / (32_767.0 * 32_767 / 2)) + SimulatedSound.fullScaleLevel
}

@Test(arguments: [("still 9s", 30.0), ("rest 9s", 40), ("walk 9s", 52), ("talk 9s", 62), ("tone 9s", 70)])
func soundHasTheLevelOfItsWorld(_ script: String, _ expected: Double) throws {
    let sound = SimulatedSound(world: try World(script: script), rate: 8000)
    // At 30 dB a frame is mostly 0 or 1: rounding to 16 bits adds 0.6 dB, which no microphone of
    // 16 bits is spared.
    #expect(abs(level(sound.frames(from: 0, count: 72_000)) - expected) < (expected < 35 ? 0.8 : 0.3))
}

@Test func aToneHasItsFrequency() throws {
    let frames = SimulatedSound(world: try World(script: "tone 1m")).frames(from: 0, count: 16_000)
    #expect(abs(zip(frames, frames.dropFirst()).filter { $0 < 0 && $1 >= 0 }.count - 1000) <= 1)
}

@Test func talkHasPauses() throws {
    let sound = SimulatedSound(world: try World(script: "talk 1m"), rate: 8000)
    #expect(level(sound.frames(from: 4000, count: 8000)) > level(sound.frames(from: 17_000, count: 6000)) + 15)
}

@Test func aFileHasTheFramesAndNothingElse() throws {
    let sound = SimulatedSound(world: try World(script: "talk 1m"), rate: 1000)
    let path = "/tmp/studyd-sound-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    defer { unlink(path) }
    try sound.write(to: path, seconds: 2)
    let file = open(path, O_RDONLY)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 8192)
    #expect(read(file, &bytes, bytes.count) == 4000)
    let frames = (0..<2000).map { Int16(bitPattern: UInt16(bytes[2 * $0 + 1]) << 8 | UInt16(bytes[2 * $0])) }
    #expect(frames == sound.frames(from: 0, count: 2000))
}
