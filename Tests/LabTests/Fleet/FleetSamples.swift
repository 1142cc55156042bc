// SPDX-License-Identifier: Apache-2.0
import Base
import Dataset

@testable import Lab

/// A report as a device sends it, with every field; `change` sets members of it.
enum FleetSamples {
    static let text = #"""
        {"format":"studyd-report","version":1,"number":17,"at":"2026-11-25T19:00:00.000+01:00","reason":"hour",
         "nextReportWithin":3900,
         "device":"board-1","study":"mood","participant":"P007","enrolment":"e1",
         "program":{"version":"0.9.0","commit":null},
         "clock":{"source":"kernel","trusted":true,"uncertainty":0.2},
         "ledger":{"samples":{"due":10,"stored":9,"lost":{"ringFull":1}},"text":"left out"},
         "prompts":[{"occurrence":"o1","task":"mood","due":"2026-11-25T18:00:00.000+01:00","outcome":"missed",
                     "reason":"device-off","presented":null,"ended":null}],
         "recordings":{"newest":123,"coverage":[{"measure":"accelerometer","seconds":3600,"expected":360000,"stored":359000,"lost":1000}]},
         "outbox":{"waiting":3,"bytes":1234,"oldestSeconds":120},
         "disk":{"free":1230000,"total":4560000,"low":false},
         "card":{"written":123456789,"life":null},"power":{"underVoltage":false,"battery":0.83},"temperature":48.2,
         "faults":[],
         "configuration":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","state":"recording",
         "nextPrompt":"2026-11-25T20:00:00+01:00"}
        """#

    /// Of the report without changes.
    static let source = FleetSource.id(study: "mood", device: "board-1", enrolment: "e1")

    static func value(_ changes: KeyValuePairs<String, String> = [:]) throws -> JSONValue {
        var value = try JSONReader.value(text)
        for change in changes {
            var path = change.key.split(separator: ".").map(String.init)
            let new = try JSONReader.value(change.value)
            let last = path.removeLast()
            value =
                path.isEmpty ? value.with(last, new) : value.with(path[0], (value[path[0]] ?? .null).with(last, new))
        }
        return value
    }

    static func report(_ changes: KeyValuePairs<String, String> = [:]) throws -> DeviceReport {
        try DeviceReport(try value(changes))
    }

    static func device(
        _ changes: KeyValuePairs<String, String> = [:], first: Instant, received: Instant,
        days: [Int: PromptCount] = [:]
    ) throws -> FleetDevice {
        var device = FleetDevice(report: try report(changes).withoutPrompts, first: first, received: received)
        device.days = days
        return device
    }
}
