// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Simulation
import Testing

/// A chip that answers and gives no sample, or answers anything, is in trouble from then until its
/// next sample, without a break, and causes no wake-ups meanwhile.
///
/// A bus reads all ones when nothing pulls its data line down, all zeros when that is held down:
/// I2C is a wired AND (NXP UM10204, 3.1.1).
@Suite(.serialized) struct ChipSilenceTests {
    static let names = ChipCatalog.chips.map(\.name)
    private static let truth = SIMD3(0.31, -0.57, 0.23)
    private static let silence = 40.0

    /// Measures the same all the time, is well for 600 samples, silent for 40 s and
    /// then well again.
    private func live(through fault: (UInt8, Range<MonotonicTime>) -> BusFault, _ name: String) throws -> Life {
        let entry = try ChipCatalog.chip(named: name)
        let isField = entry.kinds == [.magnetometer]
        let felt = isField ? Self.truth * 100 : Self.truth
        let surroundings = PhysicalInput(
            acceleration: { _ in felt }, rotation: { _ in felt * 50 }, field: { _ in felt })
        let twin = try #require(SimulatedCatalog.chip(named: name))
        let address = entry.identity.addresses[0]
        let chip = twin.make(address, surroundings, Specimen(rateError: 0), .zero)
        let rig = try Rig([chip]) { try entry.make($0, "i2c-1", ChipSettings()) }
        let begin = 600.3 / rig.device.source.nominalRate
        rig.run(until: at(begin))
        let end = begin + Self.silence
        rig.bus.inject(fault(address, at(begin)..<at(end)))
        var life = Life(rig: rig, values: Set(rig.frames.map(\.values)), begin: begin, end: end)
        // As long as a chip may take to be believed slow: twice a burst.
        let patience = begin + 0.1 + 8 * 40 / rig.device.source.nominalRate
        rig.run(until: at(patience))
        life.cause = rig.counters.trouble?.fault.cause
        let (frames, serves) = (rig.frames.count, rig.serves)
        for second in stride(from: patience, to: end, by: 0.5) {
            rig.run(until: at(second))
            if rig.counters.trouble == nil { life.lulls += 1 }
        }
        life.framesDuring = rig.frames.count - frames
        life.wakeupsPerSecond = Double(rig.serves - serves) / (end - patience)
        life.since = rig.counters.trouble?.since
        rig.run(until: at(end + 8 + 200 / rig.device.source.nominalRate))
        return life
    }

    private struct Life {
        let rig: Rig
        let values: Set<SIMD8<Int32>>
        let begin: Double
        let end: Double
        var cause: SensorFault.Cause?
        /// Half seconds in which there was no trouble although there was no sample.
        var lulls = 0
        var framesDuring = 0
        var wakeupsPerSecond = 0.0
        var since: MonotonicTime?
    }

    private func check(_ life: Life, _ name: String) {
        let rig = life.rig
        #expect(life.lulls == 0 && life.framesDuring == 0, "\(name): \(life.lulls) lulls, \(life.framesDuring) frames")
        #expect(life.wakeupsPerSecond < 3, "\(name): \(life.wakeupsPerSecond) wake-ups a second")
        #expect(
            life.since.map { abs(($0 - at(life.begin)).seconds) < 8 } ?? false,
            "\(name): \(String(describing: life.since))")
        #expect(rig.counters.trouble == nil && rig.counters.lost == rig.lostInFrames, "\(name)")
        #expect(rig.frames.allSatisfy { life.values.contains($0.values) }, "\(name): a sample that was not measured")
        // How many are missing is reckoned by the rate that was seen before.
        let due = rig.hand.now.nanoseconds.seconds * rig.device.source.nominalRate
        let sum = Double(rig.frames.count + rig.lostInFrames)
        #expect(abs(sum - due) < 90 + due / 100, "\(name): \(sum) of \(due)")
    }

    @Test(arguments: names) func aChipThatMeasuresNothingIsStalledUntilItsNextSample(_ name: String) throws {
        let life = try live(through: { .measuresNothing(address: $0, during: $1) }, name)
        #expect(life.cause == .stalled, "\(name): \(String(describing: life.cause))")
        check(life, name)
    }

    @Test(arguments: names, [0xFF, 0x00] as [UInt8])
    func aChipThatAnswersOneByteToEverythingGivesNoSample(_ name: String, byte: UInt8) throws {
        let entry = try ChipCatalog.chip(named: name)
        let life = try live(through: { .answers(.always(byte), address: $0, during: $1) }, name)
        let isBlank = entry.identity.value == byte
        #expect(
            life.cause == (isBlank ? .onlyOnes : .wrongIdentity(read: byte)),
            "\(name): \(String(describing: life.cause))")
        check(life, name)
    }

    @Test(arguments: names) func aChipThatAnswersAnythingGivesNoSample(_ name: String) throws {
        let life = try live(through: { .answers(.random, address: $0, during: $1) }, name)
        guard case .wrongIdentity? = life.cause else {
            return #expect(Bool(false), "\(name): \(String(describing: life.cause))")
        }
        check(life, name)
    }

    /// One that never gave a sample is no different.
    @Test(arguments: names) func aChipThatMeasuresNothingFromTheStartIsStalled(_ name: String) throws {
        let entry = try ChipCatalog.chip(named: name)
        let twin = try #require(SimulatedCatalog.chip(named: name))
        let chip = twin.make(
            entry.identity.addresses[0],
            PhysicalInput(acceleration: { _ in .zero }, rotation: { _ in .zero }, field: { _ in .zero }),
            Specimen(rateError: 0), .zero)
        let rig = try Rig([chip]) { try entry.make($0, "i2c-1", ChipSettings()) }
        rig.bus.inject(.measuresNothing(address: entry.identity.addresses[0], during: .zero..<at(80)))
        rig.run(until: at(30))
        let (errors, serves) = (rig.counters.errors, rig.serves)
        #expect(rig.counters.trouble?.fault.cause == .stalled && rig.counters.read == 0)
        rig.run(until: at(80))
        #expect(rig.counters.errors > errors && rig.serves - serves < 100, "\(name)")
        rig.run(until: at(90))
        #expect(rig.counters.trouble == nil && rig.counters.read > 0)
    }
}

extension Int64 {
    fileprivate var seconds: Double { Double(self) / 1e9 }
}
