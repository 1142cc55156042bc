// SPDX-License-Identifier: Apache-2.0
import Base

/// The fleet as a text file (`--metrics-file`) that `FleetService` writes for the node exporter of Prometheus,
/// in its exposition format (prometheus.io/docs/instrumenting/exposition_formats). Moments, not ages: the file
/// changes only with what it says.
struct FleetMetrics {
    let view: FleetWatch.View

    private typealias Labels = KeyValuePairs<String, String>

    var text: String {
        var text = ""
        func add(_ name: String, _ help: String, _ samples: [String]) {
            guard !samples.isEmpty else { return }
            text += "# HELP \(name) \(help)\n# TYPE \(name) gauge\n"
            for sample in samples { text += "\(name)\(sample)\n" }
        }
        func each(_ name: String, _ help: String, _ value: (FleetDevice) -> Double?) {
            add(
                name, help,
                view.present.compactMap { device in
                    value(device).map { Self.labels(device) + " " + Self.number($0) }
                })
        }
        add("studyd_devices", "Devices that have reported.", [" \(view.present.count)"])
        add("studyd_devices_needing_attention", "Devices that a person has to look at.", [" \(view.attention.count)"])
        each("studyd_device_last_report_timestamp_seconds", "When a device was heard last.") {
            Double($0.received.milliseconds) / 1000
        }
        add(
            "studyd_device_info", "Version and state of a device.",
            view.present.map { device in
                let report = device.report
                return Self.labels(
                    device, ["version": report.version ?? "", "commit": report.commit ?? "", "state": report.state])
                    + " 1"
            })
        add(
            "studyd_device_attention", "Reasons to look at a device.",
            view.present.flatMap { device in
                Set((view.attention[device.id] ?? []).map(\.kind.rawValue)).sorted().map {
                    Self.labels(device, ["kind": $0]) + " 1"
                }
            })
        each("studyd_device_disk_free_bytes", "Free bytes of a device's disk.") { $0.report.diskFree.map(Double.init) }
        each("studyd_device_battery_ratio", "Charge of a device's battery.") { $0.report.battery }
        each("studyd_device_temperature_celsius", "Temperature of a device.") { $0.report.temperature }
        each("studyd_device_outbox_items", "Items that wait on a device.") { $0.report.outboxWaiting.map(Double.init) }
        each("studyd_device_card_written_bytes", "Bytes written to a device's card.") {
            $0.report.cardWritten.map(Double.init)
        }
        each("studyd_device_prompts_answered_ratio", "Prompts answered of those over in seven days.") {
            $0.weeks(at: view.now).this.share()
        }
        return text
    }

    private static func labels(_ device: FleetDevice, _ more: Labels = [:]) -> String {
        let report = device.report
        let own: Labels = [
            "device": report.device, "participant": report.participant, "study": report.study,
            "enrolment": report.enrolment ?? "",
        ]
        let all = (Array(own) + Array(more)).map { "\($0.key)=\"\(escaped($0.value))\"" }
        return "{\(all.joined(separator: ","))}"
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }

    private static func number(_ value: Double) -> String { JSONValue.spelling(of: value) }
}
