// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Testing

@testable import Agent

/// RADAR-Schemas c8b4694: `PhoneBatteryLevel` has `isPlugged`, "connected to a power source", and a `BatteryStatus`.
@Suite struct RadarRecordsTests {
    private static func signals(_ members: String) throws -> [String: String] {
        let body = #"{"time":"2026-03-02T10:00:00Z"\#(members)}"#
        let found = try RadarRecords.signals(Array(body.utf8))
        return Dictionary(uniqueKeysWithValues: found.map { ($0.kind, $0.record.text) })
    }

    @Test(arguments: [
        (#","status":"Charging""#, true, "CHARGING"), (#","status":"Discharging""#, false, "DISCHARGING"),
        (#","status":"Not charging""#, true, "NOT_CHARGING"), (#","status":"Full""#, true, "FULL"),
        (#","status":"Unknown""#, false, "UNKNOWN"), (#","status":"else""#, false, "UNKNOWN"), ("", false, "UNKNOWN"),
    ])
    func aBatteryHasTheStateThatTheKernelTells(member: String, isPlugged: Bool, status: String) throws {
        let record = try #require(try Self.signals(#","level":0.5\#(member)"#)["battery"])
        #expect(record.contains(#""batteryLevel":0.5"#) && record.contains(#""isPlugged":\#(isPlugged)"#), "\(record)")
        #expect(record.contains(#""status":"\#(status)""#), "\(record)")
    }

    @Test func aSignalThatIsNotThereHasNoRecord() throws {
        #expect(try Self.signals("").isEmpty)
        #expect(try Self.signals(#","status":"Full""#).isEmpty, "without a level")
        #expect(
            try Self.signals(#","uptime":60,"offset":3600,"delivered":5"#).keys.sorted() == [
                "record_counts", "time_zone", "uptime",
            ])
        #expect(throws: RadarContentError.self) { try RadarRecords.signals(Array(#"{"level":0.5}"#.utf8)) }
    }
}
