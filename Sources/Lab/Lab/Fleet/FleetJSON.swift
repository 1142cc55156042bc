// SPDX-License-Identifier: Apache-2.0
import Base

/// The fleet for programs, at `/api/fleet`; docs/lab.schema.json has the schema.
struct FleetJSON {
    let view: FleetWatch.View

    var value: JSONValue {
        .members([
            "format": .string("studyd-fleet"), "version": .int(1), "at": .string(view.now.rfc3339()),
            "newestVersion": .text(view.newestVersion), "expectedVersion": .text(view.expectedVersion),
            "limitsProblem": .text(view.limitsProblem), "devices": .array(view.devices.map(device)),
        ])
    }

    private func device(_ device: FleetDevice) -> JSONValue {
        let (report, week) = (device.report, device.weeks(at: view.now).this)
        let attention = (view.attention[device.id] ?? []).map { one -> JSONValue in
            .members([
                "kind": .string(one.kind.rawValue), "part": .text(one.part.isEmpty ? nil : one.part),
                "since": .string(one.since.rfc3339()), "text": .string(one.text), "priority": .int(one.kind.priority),
            ])
        }
        return .members([
            "device": .string(report.device), "study": .string(report.study),
            "participant": .string(report.participant), "attention": .array(attention),
            "first": .string(device.first.rfc3339()), "received": .string(device.received.rfc3339()),
            "keyed": .boolean(device.isKeyed), "replaced": .boolean(view.replaced.contains(device.id)),
            "prompts": .members(["over": .int(week.over), "answered": .int(week.answered)]), "report": report.json,
        ])
    }
}
