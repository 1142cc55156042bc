// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device
@testable import Exports

/// Which files are one sensor's stream, by the device's number and the place that the kernel gives the sensor.
@Suite struct SensorSpanTests {
    struct Span: Sendable {
        let device: UInt32
        let place: String
        let from: String
        let to: String

        init(_ device: UInt32, _ place: String, _ from: String, _ to: String) {
            (self.device, self.place, self.from, self.to) = (device, place, from, to)
        }
    }

    private func files(_ spans: [Span], _ bench: Workbench) throws -> [RecordedFile] {
        try bench.write("x.csv", Array("time,uptime,x\n".utf8))
        return try spans.map { span in
            var note = RecordingDescription(fileName: "x.csv", contentType: "text/csv", countedUnit: .samples)
            (note.deviceNumber, note.location) = (span.device, span.place)
            (note.startDate, note.endDate) = ("2026-11-21T\(span.from):00Z", "2026-11-21T\(span.to):00Z")
            return try RecordedFile("\(bench.path)/x.csv", named: "x.csv", described: note)
        }
    }

    @Test(arguments: [
        [Span(1, "i2c-1 0x18", "09:00", "10:00"), Span(2, "i2c-1 0x18", "09:59", "11:00")],
        [Span(1, "i2c-1 0x18", "09:00", "10:00"), Span(1, "i2c-1 0x19", "09:59", "11:00")],
        // Named in any order, and with another file of the first between.
        [
            Span(2, "i2c-1 0x18", "11:00", "11:01"), Span(1, "i2c-1 0x18", "09:00", "12:00"),
            Span(1, "i2c-1 0x18", "09:30", "09:40"),
        ],
    ])
    func twoSensorsThatMeasuredAtOneTimeAreNotOne(spans: [Span]) throws {
        let bench = Workbench()
        #expect {
            try SensorSpan.refuseTwoSensors(files(spans, bench), remedy: "choose one")
        } throws: {
            "\($0)".hasSuffix("; choose one")
        }
    }

    @Test(arguments: [
        // A task's recording lies within the one of all the time.
        [Span(1, "i2c-1 0x18", "09:00", "10:00"), Span(1, "i2c-1 0x18", "09:30", "09:40")],
        // One device came in the place of another.
        [Span(1, "i2c-1 0x18", "09:00", "10:00"), Span(2, "i2c-1 0x18", "10:00", "11:00")],
        // When one measured is not known.
        [Span(1, "i2c-1 0x18", "09:00", "10:00"), Span(2, "i2c-1 0x18", "never", "10:00")],
    ])
    func oneSensorAtATimeIsOneStream(spans: [Span]) throws {
        let bench = Workbench()
        try SensorSpan.refuseTwoSensors(files(spans, bench), remedy: "choose one")
    }
}
