// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Lab

@Suite struct FleetTableTests {
    private let now = Instant(seconds: 1_780_000_000)

    private func table(_ devices: [FleetDevice], missing: [String: Int] = [:]) -> String {
        let rules = FleetRules(now: now, listeningSince: now - .seconds(100_000), limits: .init())
        let view = FleetWatch.View(
            now: now, devices: devices, attention: rules.attention(of: devices), replaced: [], newestVersion: nil,
            expectedVersion: nil, limitsProblem: nil)
        return FleetTable(view: view, missing: missing, daysWithoutManifest: 0).html.text
    }

    private func device(_ name: String, _ changes: KeyValuePairs<String, String> = [:], age: Int = 60) throws
        -> FleetDevice
    {
        var device = try FleetSamples.device(changes, first: now - .seconds(90_000), received: now - .seconds(age))
        device.report = try DeviceReport(
            device.report.json.with("device", .string(name)).with("participant", .string("of \(name)")))
        return device
    }

    @Test func theMostUrgentComesFirst() throws {
        let text = table([
            try device("a"), try device("b", ["power.battery": "0.1"]), try device("c", age: 9000),
            try device("d", ["disk.low": "true"]),
        ])
        let places = try ["of c", "of d", "of b"].map { try #require(text.firstRange(of: ">\($0)<")).lowerBound }
        #expect(places == places.sorted() && !text.contains(">of a<"))
        #expect(text.contains("3 of 4 devices need attention"))
    }

    @Test func namesAreNoMarkup() throws {
        let text = table([try device("<b>", ["disk.low": "true"])], missing: ["<b>": 2])
        #expect(!text.contains("of <b>") && text.contains("of &lt;b&gt;") && text.contains("2 items"))
    }

    @Test func withoutReportsThereIsNothing() { #expect(table([]).isEmpty) }
}
