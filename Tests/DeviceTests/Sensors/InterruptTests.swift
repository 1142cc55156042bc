// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Simulation
import Testing

/// A chip with its interrupt pin on a line, its driver, and the thread of its bus, in virtual time.
private struct WiredChip {
    let clock = VirtualClock(now: Instant(seconds: 1_700_000_000))
    let poller: SteppedPoller
    let device: SampledDevice
    let ring = FrameRing<VectorFrame>(capacity: 1 << 16, repeating: VectorFrame(values: .zero, count: 3))
    let watermark: Int
    let unsettled: Int
    let condition: AwaitedLine.Condition
    private let bus: SimulatedI2CBus

    /// When the line can be taken; nil = from the beginning.
    init(_ name: String, isWired: Bool = true, lineComes: MonotonicTime? = nil) throws {
        let clock = clock
        poller = SteppedPoller(clock: clock)
        let entry = try ChipCatalog.chip(named: name)
        let address = entry.identity.addresses[0]
        let surroundings = PhysicalInput(acceleration: wave(1), rotation: wave(1), field: wave(40))
        let twin = try #require(SimulatedCatalog.chip(named: name))
        bus = SimulatedI2CBus(chips: [twin.make(address, surroundings, Specimen(rateError: 0.008), .zero)]) {
            clock.monotonic
        }
        let line = try SimulatedLine()
        let sensor = try entry.make(bus, "i2c-1", ChipSettings())
        watermark = sensor.watermark
        unsettled = sensor.unsettledSamples
        let condition = AwaitedLine.Condition()
        self.condition = condition
        let awaited = try lineComes.map { comes in
            try AwaitedLine(condition, now: { clock.monotonic }) {
                guard clock.monotonic >= comes else { throw Busy() }
                return line
            }
        }
        device = SampledDevice(sensor: sensor, ring: ring, interrupt: awaited ?? line, start: .zero)
        poller.add(device)
        if isWired { poller.add(SimulatedPin(of: address, on: bus, line: line, start: .zero)) }
    }
}

/// EBUSY, as the kernel says it of a line that another program has taken (drivers/gpio/gpiolib.c:
/// gpiod_request_commit, FLAG_REQUESTED), until that gives it back.
private struct Busy: Error {}

struct InterruptTests {
    /// The chips with a pin that says when a burst is there.
    static let wired = ChipCatalog.chips.filter { chip in
        let bus = SimulatedI2CBus(chips: []) { .zero }
        return (try? chip.make(bus, "i2c-1", ChipSettings()))?.hasInterrupt == true
    }.map(\.name)

    @Test(arguments: wired)
    func theEdgeWakesTheThreadOncePerWatermarkAndStampsTheBatch(_ name: String) throws {
        let chip = try WiredChip(name)
        chip.poller.run(until: at(60))
        let (rate, watermark) = (chip.device.source.nominalRate * 1.008, chip.watermark)
        let batches = chip.device.counters.read / watermark
        #expect(abs(Double(chip.device.counters.read) - 60 * rate) <= Double(watermark) + 2)
        #expect(chip.device.counters.lost == 0 && chip.poller.wakeUps[0] <= batches + 10)
        var index = chip.unsettled
        while let frame = chip.ring.pop() {
            index += 1
            guard frame.isStamped else { continue }
            #expect(abs((frame.time - at(Double(index) / rate)).seconds) < 1e-4)
        }
    }

    /// Its FIFO holds 32 samples: the clock looks whether the line still lives when half of the room behind a
    /// watermark is used, which leaves as much for the look.
    @Test func aLineThatIsThereIsWaitedFor() throws {
        let chip = try WiredChip("LIS3DH")
        chip.poller.run(until: at(60))
        let patience = (chip.device.due - chip.device.ready).seconds * chip.device.source.nominalRate * 1.008
        let room = Double(32 - chip.watermark)
        #expect(room > 2 && abs(patience - min(Double(chip.watermark), room / 2)) < 0.1, "\(patience)")
    }

    @Test(arguments: ["LIS3DH", "LIS3MDL"])
    func aWireThatIsOffCostsNoSamples(_ name: String) throws {
        let chip = try WiredChip(name, isWired: false)
        chip.poller.run(until: at(60))
        #expect(chip.device.counters.lost == 0)
        let taken = 60 * chip.device.source.nominalRate * 1.008
        #expect(abs(Double(chip.device.counters.read + chip.unsettled) - taken) <= 32)
    }

    @Test(arguments: wired) func aLineThatComesLaterIsFoundAndCostsNoSamples(_ name: String) throws {
        let chip = try WiredChip(name, lineComes: at(20))
        chip.poller.run(until: at(19))
        #expect(chip.condition.fault != nil && chip.condition.absences == 1)
        let before = chip.poller.wakeUps[0]
        chip.poller.run(until: at(120))
        #expect(chip.condition.fault == nil && chip.condition.absences == 1)
        let rate = chip.device.source.nominalRate * 1.008
        #expect(chip.device.counters.lost == 0)
        #expect(abs(Double(chip.device.counters.read) - 120 * rate) <= Double(chip.watermark + chip.unsettled) + 2)
        // From then on the edges time the batches, as if it had been there always.
        var (index, late) = (chip.unsettled, 0)
        while let frame = chip.ring.pop() {
            index += 1
            guard frame.isStamped, frame.time > at(90) else { continue }
            late += 1
            #expect(abs((frame.time - at(Double(index) / rate)).seconds) < 1e-4)
        }
        #expect(late > 0 && chip.poller.wakeUps[0] > before)
    }

    @Test func anEdgeOfASilentChipDoesNotAskItMoreOften() throws {
        let bus = SimulatedI2CBus(chips: []) { .zero }
        let sensor = try ChipCatalog.chip(named: "LIS3DH").make(bus, "i2c-1", ChipSettings())
        let ring = FrameRing<VectorFrame>(capacity: 64, repeating: VectorFrame(values: .zero, count: 3))
        let device = SampledDevice(sensor: sensor, ring: ring, start: .zero)
        device.serve(at: .zero)
        for _ in 0..<100 { device.serve(at: at(0.001), edge: at(0.001)) }
        #expect(device.counters.errors == 1)
    }
}
