// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Simulation
import Testing

@testable import Device

/// The example of docs/adding/chip.md: compiled here, and driven on its twin as every chip is.
@Suite struct ChipPageTests {
    private static func file(_ path: String) throws -> String {
        let root = #filePath.replacing("Tests/DeviceTests/Sensors/Adding/ChipPageTests.swift", with: "")
        return try String(contentsOfFile: root + path, encoding: .utf8)
    }

    /// As its lines in the two catalogs say it.
    private static let entry = ChipEntry(MMA8452Q.self, MMA8452Q.models[0])
    private static let twin = SimulatedCatalog.Entry("MMA8452Q") {
        SimulatedMMA8452Q(address: $0, acceleration: $1.acceleration, specimen: $2, start: $3)
    }

    private func rig(_ truth: @escaping Signal, _ settings: ChipSettings = ChipSettings()) throws -> Rig {
        let surroundings = PhysicalInput(acceleration: truth, rotation: { _ in .zero }, field: { _ in .zero })
        let chip = Self.twin.make(Self.entry.identity.addresses[0], surroundings, Specimen(rateError: 0), .zero)
        return try Rig([chip]) { try Self.entry.make($0, "i2c-1", settings) }
    }

    @Test func thePageHasTheCodeThatIsCompiledHere() throws {
        let page = try Self.file("docs/adding/chip.md")
        let code = try ["MMA8452Q", "SimulatedMMA8452Q"].map {
            try Self.file("Tests/DeviceTests/Sensors/Adding/\($0).swift")
        }
        let blocks = page.split(separator: "```swift\n").dropFirst().compactMap { $0.split(separator: "\n```").first }
        #expect(blocks.count == 2)
        for block in blocks { #expect(code.contains { $0.contains(block) }, "\(block.prefix(60))") }
    }

    @Test(arguments: [2.0, 4, 8]) func valuesAreWithinHalfAStepAtEveryRange(_ range: Double) throws {
        let truth = SIMD3(0.9, -0.53, 0.217) * range
        let rig = try rig({ _ in truth }, ChipSettings(range: range))
        rig.run(until: at(2))
        let channels = rig.device.source.channels
        #expect(rig.frames.count > 190 && rig.counters.setUps == 1 && rig.counters.errors == 0)
        for frame in rig.frames {
            for axis in 0..<3 {
                #expect(abs(channels[axis].value(frame.values[axis]) - truth[axis]) <= channels[axis].scale / 2 + 1e-9)
            }
        }
    }

    /// mma8452.c: 0.009577, 0.019154 and 0.038307 m/s² a count at ±2, ±4 and ±8 g.
    @Test(arguments: [(2.0, 0.009577), (4, 0.019154), (8, 0.038307)])
    func aCountIsWhatTheKernelsDriverSays(_ range: Double, _ scale: Double) throws {
        let source = try rig({ _ in .zero }, ChipSettings(range: range)).device.source
        #expect(abs(source.channels[0].scale * 9.80665 - scale) < 1e-6)
    }

    @Test func everySampleIsStoredOrLost() throws {
        let rig = try rig(wave(1), ChipSettings(rate: 50))
        rig.run(until: at(20))
        #expect(abs(rig.frames.count + rig.lostInFrames - 1000) <= 2)
        let error = #expect(throws: SettingError.self) { try self.rig(wave(1), ChipSettings(rate: 99)) }
        #expect(error?.possible == "800, 400, 200, 100, 50, 12.5, 6.25")
    }
}
