// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Lab

@Suite struct FleetLimitsTests {
    private func table(_ text: String) throws -> FleetLimits.Table { try .init(parsing: Array(text.utf8)) }

    @Test func aStudyHasItsLimitsAndOthersTheDefaults() throws {
        let table = try table(
            """
            [study."mood 2026"]
            compliance = 0.5
            silent_after = "2h"
            battery = 1
            disk = "500 MB"
            """)
        let limits = table["mood 2026"]
        #expect(limits.compliance == 0.5 && limits.silentAfter == .seconds(7200) && limits.battery == 1)
        #expect(limits.disk == 500_000_000 && table["other"] == FleetLimits())
    }

    @Test(arguments: [
        ("[study.a]\ncompliance = 1.1", "study.a.compliance"),
        ("[study.a]\ncompliance = \"0.7\"", "study.a.compliance"),
        ("[study.a]\nsilent_after = 7200", "study.a.silent_after"),
        ("[study.a]\nsilent_after = \"soon\"", "study.a.silent_after"),
        ("[study.a]\nsilent_after = \"0s\"", "study.a.silent_after"),
        ("[study.a]\nsilent_after = \"-2h\"", "study.a.silent_after"),
        ("[study.a]\ncompliance = -0.01", "study.a.compliance"), ("[study.a]\nbattery = 2", "study.a.battery"),
        ("[study.a]\ndisk = \"500 MiB\"", "study.a.disk"),
        ("[study.a]\ndisk = 500", "study.a.disk"), ("[study.a]\ntemperature = 60", "study.a.temperature"),
        ("[limits]", "limits"), ("study = 1", "study"), ("[study]\na = 1", "study.a"),
    ]) func whatCannotBeReadIsNamed(text: String, place: String) {
        let error = #expect(throws: FleetLimitsError.self) { try table(text) }
        #expect(error?.explanation.place == place)
    }

    /// docs/lab.md: shares are from 0 to 1, both of which are good.
    @Test(arguments: [("0", 0), ("0.0", 0), ("0.001", 0.001), ("1", 1), ("1.0", 1)] as [(String, Double)])
    func aShareIsFromNothingToAll(text: String, share: Double) throws {
        let limits = try table("[study.a]\ncompliance = \(text)\nbattery = \(text)\nsilent_after = \"1s\"")["a"]
        #expect(limits.compliance == share && limits.battery == share && limits.silentAfter == .seconds(1))
    }

    @Test(arguments: [
        ("1024", 1024), ("0", 0), ("500 MB", 500_000_000), ("2GB", 2_000_000_000), ("1 kB", 1000), ("7B", 7),
        ("MB", nil),
        ("-1", nil), ("1.5 GB", nil), ("9223372036854775807 GB", nil), ("", nil),
    ]) func sizesAreThoseOfDisks(text: String, bytes: Int64?) { #expect(FleetLimits.bytes(text) == bytes) }
}
