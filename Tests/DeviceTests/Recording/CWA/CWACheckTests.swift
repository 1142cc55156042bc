// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Device

/// What a block file's header says, against its description, word by word.
@Suite struct CWACheckTests {
    private typealias Change = (inout RecordingDescription) -> Void

    private static func differences(_ sealed: SealedRecording, _ change: Change) throws -> [String] {
        var description = sealed.description
        change(&description)
        var found = ContentCheck()
        try CWACheck(description: description).check(File(sealed.path, .read), &found)
        return found.problems + found.differences
    }

    @Test func eachWordOfTheHeaderIsTheDescriptions() throws {
        let bench = Workbench()
        defer { withExtendedLifetime(bench) {} }
        let sealed = try bench.motion()
        #expect(try Self.differences(sealed) { _ in } == [])
        let cases: [(change: Change, difference: String)] = [
            ({ $0.deviceNumber += 1 }, "the header's device differs"),
            ({ $0.number += 1 }, "the header belongs to another recording"),
            ({ $0.study = "other" }, "the header's '_s' differs"),
            ({ $0.participant = "other" }, "the header's '_v' differs"),
            ({ $0.device = "other" }, "the header's 'device' differs"),
            ({ $0.clock = .unknown }, "the header's 'clock' differs"),
            ({ $0.zone = "UTC" }, "the header's 'zone' differs"),
            ({ $0.offset = "+05:00" }, "the header's 'offset' differs"),
            ({ $0.channels[0].scale *= 1.00001 }, "the scale of \(sealed.description.channels[0].name) differs"),
            ({ $0.channels.removeLast() }, "channels differ from the description"),
        ]
        for (change, difference) in cases {
            #expect(try Self.differences(sealed, change).contains { $0.contains(difference) }, "\(difference)")
        }
    }

    /// A format of a few rates takes what is within a twentieth of one; descriptions before there
    /// was a version have the chip's scales.
    @Test func aRateIsNearItsCodeAndAnOldScaleIsTheChips() throws {
        let bench = Workbench()
        defer { withExtendedLifetime(bench) {} }
        let sealed = try bench.motion()
        let rate = sealed.description.nominalRate
        for (factor, isNear) in [(1.05, true), (1.051, false), (0.95, true), (0.949, false)] {
            #expect(try Self.differences(sealed) { $0.nominalRate = rate * factor }.isEmpty == isNear, "\(factor)")
        }
        #expect(
            try Self.differences(sealed) {
                $0.channels[0].scale *= 2
                $0.schemaVersion = nil
            } == [])
    }
}
