// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Simulation
import Synchronization
import Testing

/// What may happen to any chip of the catalog ends in a counted gap, a named fault and a recovery,
/// and never in a sample that was not measured.
@Suite(.serialized) struct ChipTroubleTests {
    static let names = ChipCatalog.chips.map(\.name)
    private static let truth = SIMD3(0.31, -0.57, 0.23)
    private static let turn = SIMD3(11.0, -23, 37)

    /// The chip feels the same all the time, so that every wrong value shows.
    private func twin(_ name: String, since start: MonotonicTime = .zero) throws -> any SimulatedChip {
        let entry = try ChipCatalog.chip(named: name)
        let isField = entry.kinds == [.magnetometer]
        let surroundings = PhysicalInput(
            acceleration: { _ in Self.truth }, rotation: { _ in Self.turn },
            field: { _ in isField ? Self.truth * 100 : Self.truth })
        let twin = try #require(SimulatedCatalog.chip(named: name))
        return twin.make(entry.identity.addresses[0], surroundings, Specimen(rateError: 0), start)
    }

    private func rig(_ chip: any SimulatedChip, _ name: String) throws -> Rig {
        let entry = try ChipCatalog.chip(named: name)
        return try Rig([chip]) { try entry.make($0, "i2c-1", ChipSettings()) }
    }

    /// Ledger, values, and that it measures again.
    private func check(_ rig: Rig, until seconds: Double, _ name: String) {
        let source = rig.device.source
        #expect(rig.counters.trouble == nil && rig.counters.lost == rig.lostInFrames)
        let sum = rig.frames.count + rig.lostInFrames
        let watermark = rig.frames.firstIndex(where: \.isStamped).map { $0 + 1 } ?? 0
        // The size of each gap is known to a sample.
        let gaps = rig.frames.filter { $0.lostBefore > 0 }.count
        #expect(abs(sum - Int(seconds * source.nominalRate)) <= watermark + 24 + gaps, "\(name): \(sum)")
        expectTruth(rig.frames, source, name)
    }

    private func expectTruth(_ frames: [VectorFrame], _ source: SourceDescription, _ name: String) {
        let all = [Self.turn.x, Self.turn.y, Self.turn.z, Self.truth.x, Self.truth.y, Self.truth.z]
        let isField = source.channels.first?.unit == .microtesla
        let expected = isField ? all.suffix(3).map { $0 * 100 } : all.suffix(source.channels.count)
        let step = name == "AK8963" ? 0.18 : 0
        for frame in frames {
            for (index, channel) in source.channels.enumerated() {
                let error = abs(channel.value(frame.values[index]) - expected[index])
                guard error > max(step / 2, channel.resolution - channel.scale / 2) + 1e-9 else { continue }
                Issue.record(
                    "\(name) \(channel.name): \(channel.value(frame.values[index])) instead of \(expected[index])")
                return
            }
        }
    }

    @Test(arguments: names) func pulledOutAndPutBackInTheMiddle(_ name: String) throws {
        let rig = try rig(try twin(name), name)
        let period = 1 / rig.device.source.nominalRate
        let address = try ChipCatalog.chip(named: name).identity.addresses[0]
        rig.run(until: at(60.3 * period))
        rig.bus.detach(address: address)
        rig.run(until: at(200.3 * period))
        #expect(rig.counters.trouble?.fault.cause == .bus(.noAcknowledge(address: address)))
        #expect(rig.counters.trouble?.fault.description.contains("3.3 V supply") == true)
        rig.bus.attach(try twin(name, since: at(200.3 * period)))
        let end = 400 * period + 12
        rig.run(until: at(end))
        let gaps = rig.frames.filter { $0.lostBefore > 0 }
        #expect(gaps.count == 1 && gaps.first?.reason == LossReason.deviceError.rawValue && rig.counters.setUps == 2)
        check(rig, until: end, name)
    }

    @Test(arguments: names) func theWrongChipUntilTheRightOneIsPutIn(_ name: String) throws {
        let address = try ChipCatalog.chip(named: name).identity.addresses[0]
        let rig = try rig(Stranger(address: address), name)
        rig.run(until: at(2))
        #expect(rig.counters.trouble?.fault.cause == .wrongIdentity(read: 0xA5))
        #expect(
            rig.counters.trouble?.fault.description.contains("set the fitted chip in the board file") == true)
        rig.bus.detach(address: address)
        rig.bus.attach(try twin(name, since: at(2)))
        rig.run(until: at(20))
        #expect(rig.frames.first?.reason == LossReason.deviceError.rawValue && rig.counters.setUps == 1)
        check(rig, until: 20, name)
    }

    /// The thread is held up for more than the FIFO holds, at moments that lie differently in the
    /// record that is being written.
    @Test(arguments: names) func anOverflowLeavesNoSampleMixedFromTwo(_ name: String) throws {
        let rig = try rig(try twin(name), name)
        let sensor = try ChipCatalog.chip(named: name).make(rig.bus, "i2c-1", ChipSettings())
        let period = 1 / rig.device.source.nominalRate
        var end = 100 * period
        for round in 0..<5 {
            rig.run(until: at(end))
            end += (2.37 * Double(sensor.depth) + 17.3 * Double(round) + 4.1) * period
            rig.hand.now = at(end)
            end += 150 * period
        }
        rig.run(until: at(end))
        #expect(rig.counters.lost >= 5 && rig.frames.filter { $0.lostBefore > 0 }.count == 5)
        check(rig, until: end, name)
    }

    /// One transaction in forty fails, in the middle of anything; then the bus is well again.
    @Test(arguments: names) func aBusThatFailsNowAndThenIsAccountedFor(_ name: String) throws {
        let entry = try ChipCatalog.chip(named: name)
        let isFlaky = Flag()
        let rig = try Rig([try twin(name)]) { try entry.make(FlakyBus($0, isFlaky), "i2c-1", ChipSettings()) }
        let period = 1 / rig.device.source.nominalRate
        rig.run(until: at(1000 * period))
        #expect(rig.counters.errors > 0)
        isFlaky.lower()
        let end = 1500 * period + 6
        rig.run(until: at(end))
        #expect(rig.frames.count > 500, "\(name): \(rig.frames.count), \(rig.counters.errors) errors")
        check(rig, until: end, name)
    }
}

/// Raised until it is lowered.
private final class Flag: Sendable {
    private let state = Mutex(true)
    var isRaised: Bool { state.withLock { $0 } }
    func lower() { state.withLock { $0 = false } }
}

/// A bus on which another master now and then wins.
private final class FlakyBus: I2CBus {
    private let bus: any I2CBus
    private let state = Mutex<UInt64>(1)

    private let isFlaky: Flag

    init(_ bus: any I2CBus, _ isFlaky: Flag) {
        self.bus = bus
        self.isFlaky = isFlaky
    }

    func transaction(_ address: UInt8, _ operations: [I2COperation]) throws(I2CError) -> [UInt8] {
        let chance = state.withLock { state in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 32
        }
        if isFlaky.isRaised, chance % 40 == 7 { throw .arbitrationLost(address: address) }
        return try bus.transaction(address, operations)
    }
}
