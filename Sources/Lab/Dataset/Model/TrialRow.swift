// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// A row of a device's event log that is needed to compute the decisions of rules again (`studyd prove`);
/// `LabLogs` and `DeviceFolder` read them. Kinds are the cases of `StudyEvent` by their names.
package struct TrialRow: Sendable, Hashable {
    package let number: Int64
    package let enrolment: String
    /// Nanoseconds: of the wall clock since 1970 in UTC, and of CLOCK_MONOTONIC of that boot.
    let wall: Int64
    let monotonic: Int64
    let boot: String
    let kind: String
    let body: JSONText

    /// Kinds of rows about the device rather than one enrolment.
    private static let shared: Set<String> = ["agentStarted", "anchored"]
    private static let kinds: Set<String> = shared.union([
        "promptsSwitched", "prompted", "zoneChanged", "clockStepped", "decided", "raised", "outcomeMeasured",
        "recordingSealed", "withdrawn",
    ])

    /// Nil for a row that says nothing of decisions, or whose body is withheld.
    init?(_ row: LogSegmentFile.Row) {
        guard Self.kinds.contains(row.kind), let body = row.body else { return nil }
        (number, enrolment, wall, monotonic) = (row.number, row.enrolment, row.wall, row.monotonic)
        (boot, kind, self.body) = (row.boot, row.kind, body)
    }

    /// Whether decisions of the enrolment rest on this row.
    func isOf(_ enrolment: String) -> Bool { self.enrolment == enrolment || isOfDevice }

    var isOfDevice: Bool { Self.shared.contains(kind) }

    /// A moment of its boot on both clocks, where it is an anchor that was trusted.
    var anchor: (wall: Int64, monotonic: Int64)? {
        guard kind == "anchored", let anchor = body["anchor"], anchor["source"]?.string != "unknown",
            let wall = anchor["instant"].flatMap({ Int64($0.plain) }),
            let monotonic = anchor["monotonic"].flatMap({ Int64($0.plain) })
        else { return nil }
        return (wall, monotonic)
    }

    /// A line of JSON; the body is a text in it, as in a segment of the log (`LogSegmentFile`).
    var line: String {
        JSONText.object([
            "row": .integer(number), "enrolment": .string(enrolment), "wall": .integer(wall),
            "monotonic": .integer(monotonic), "boot": .string(boot), "kind": .string(kind),
            "body": .string(body.text),
        ]).text + "\n"
    }
}

extension TrialRow {
    /// The rows of an enrolment and those of the device, from a device's database.
    static func all(of enrolment: String, in state: ReadOnlyDatabase) throws -> [TrialRow] {
        let (own, device) = (kinds.sorted(), shared.sorted())
        func list(_ names: [String]) -> String { names.map { "'\($0)'" }.joined(separator: ", ") }
        return try state.connection.rows(
            """
            SELECT sequence, enrolment, wall, monotonic, boot, kind, body FROM event
            WHERE enrolment = ? AND kind IN (\(list(own))) OR kind IN (\(list(device))) ORDER BY sequence
            """, enrolment
        ) { row in
            // What was erased has no body.
            guard let body = JSONText(parsing: try row.string(6)), body["erased"] == nil else { return nil }
            return TrialRow(
                number: try row.int(0), enrolment: try row.string(1), wall: try row.int(2), monotonic: try row.int(3),
                boot: try row.string(4), kind: try row.string(5), body: body)
        }.compactMap { (row: TrialRow?) in row }
    }

    private init(
        number: Int64, enrolment: String, wall: Int64, monotonic: Int64, boot: String, kind: String, body: JSONText
    ) {
        (self.number, self.enrolment, self.wall, self.monotonic) = (number, enrolment, wall, monotonic)
        (self.boot, self.kind, self.body) = (boot, kind, body)
    }
}
