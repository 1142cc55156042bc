// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SimulatedWorld
import Simulation
import Testing

/// Two chips on one bus in a scripted world, in virtual time, with everything going wrong
/// that a bus knows.
private struct Board {
    let clock = VirtualClock(now: Instant(seconds: 1_700_000_000))
    let poller: SteppedPoller
    let bus: SimulatedI2CBus
    let devices: [SampledDevice]
    let rings: [FrameRing<VectorFrame>]

    init(_ script: String, faults: [BusFault] = []) throws {
        let (clock, world) = (clock, try World(script: script))
        poller = SteppedPoller(clock: clock)
        let chips: [any SimulatedChip] = [
            SimulatedLIS3DH(acceleration: world.acceleration, specimen: Specimen(noise: 0.003)),
            SimulatedLIS3MDL(field: world.magneticField, specimen: Specimen(rateError: -0.03, noise: 0.3)),
        ]
        bus = SimulatedI2CBus(chips: chips) { clock.monotonic }
        for fault in faults { bus.inject(fault) }
        var (devices, rings) = ([SampledDevice](), [FrameRing<VectorFrame>]())
        for name in ["LIS3DH", "LIS3MDL"] {
            let ring = FrameRing(capacity: 1 << 17, repeating: VectorFrame(values: .zero, count: 3))
            let sensor = try ChipCatalog.chip(named: name).make(bus, "i2c-1", ChipSettings())
            devices.append(SampledDevice(sensor: sensor, ring: ring, start: .zero))
            rings.append(ring)
        }
        for device in devices { poller.add(device) }
        self.devices = devices
        self.rings = rings
    }

    func frames(_ index: Int) -> [VectorFrame] {
        var frames: [VectorFrame] = []
        while let frame = rings[index].pop() { frames.append(frame) }
        return frames
    }
}

@Test func theLedgerHoldsWhateverTheBusDoes() throws {
    let board = try Board(
        "walk 60s; rest 30s; still 2m",
        faults: [
            .noAcknowledge(address: 0x18, during: at(20)..<at(23)), .stuck(during: at(60)..<at(60.4)),
            .powerLoss(address: 0x18, at: at(100)), .powerLoss(address: 0x1C, at: at(130)),
            .noAcknowledge(address: 0x1C, during: at(200)..<at(260)),
        ])
    board.poller.run(until: at(600))
    for (index, (trueRate, dropped)) in [(100.8, 7), (9.7, 2)].enumerated() {
        let (frames, counters) = (board.frames(index), board.devices[index].counters)
        #expect(counters.read == frames.count)
        #expect(counters.lost == frames.reduce(0) { $0 + Int($1.lostBefore) } && counters.lost > 0)
        // Each gap is reckoned with a rate that is known to half a per cent, so the sum is good
        // to a few samples.
        #expect(abs(counters.read + counters.lost + dropped - Int(600 * trueRate)) <= 40)
        #expect(counters.trouble == nil)
    }
}

@Test func stepsCanBeCountedInWhatTheChipDelivered() throws {
    let board = try Board("walk 60s")
    board.poller.run(until: at(61))
    let channels = board.devices[0].source.channels
    let lengths = board.frames(0).map { frame in
        let vector = SIMD3(
            channels[0].value(frame.values[0]), channels[1].value(frame.values[1]), channels[2].value(frame.values[2]))
        return (vector * vector).sum().squareRoot()
    }
    let smooth = (10..<(lengths.count - 10)).map { lengths[($0 - 10)..<($0 + 10)].reduce(0, +) / 20 }
    let steps = zip(smooth, smooth.dropFirst()).filter { $0 < 1 && $1 >= 1 }.count
    #expect(abs(steps - 108) <= 3, "60 s at 1.8 steps per second")
}
