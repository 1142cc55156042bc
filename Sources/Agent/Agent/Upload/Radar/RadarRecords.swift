// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Synchronization
import SystemKit

/// Our data as RADAR-base's records, for `RadarDelivery`, before a topic's schema picks what it has fields for. All
/// times are seconds since 1970, UTC.
enum RadarRecords {
    // MARK: Answers

    /// A submitted run as `org.radarcns.active.questionnaire.Questionnaire`; `notified` is when it was
    /// signalled. Throws for a text that is no `ResultTree`.
    static func questionnaire(_ tree: [UInt8], notified: Instant?) throws -> JSONText {
        let node = try JSONNode(tree)
        guard let opened = time(node["startDate"]), let completed = time(node["endDate"]),
            let name = node["identifier"]?.text
        else { throw RadarContentError("is no result of a run") }
        return .object([
            .init("time", opened), .init("timeCompleted", completed),
            .init("timeNotification", notified.map(seconds) ?? .null), .init("name", .string(name)),
            .init("version", .string(node["versionString"]?.text ?? "")),
            .init("answers", .array((node["stepHistory"]?.elements ?? []).compactMap(answer))),
        ])
    }

    /// A step's answer; nil for a step that asks nothing, or was not answered.
    private static func answer(_ step: JSONNode) -> JSONText? {
        guard let id = step["identifier"]?.text, let start = time(step["startDate"]), let end = time(step["endDate"]),
            let value = step["value"].flatMap(value) ?? step["relativePath"]?.text.map({ .string($0) })
        else { return nil }
        return .object([
            .init("questionId", .string(id)), .init("value", value), .init("startTime", start), .init("endTime", end),
        ])
    }

    /// An answer's value: numbers as numbers; yes and no as 1 and 0; several options with commas, as REDCap
    /// and aRMT have them; values with parts as JSON text.
    private static func value(_ node: JSONNode) -> JSONText? {
        switch node.content {
        case .null: nil
        case .boolean(let flag): .integer(flag ? 1 : 0)
        case .number, .string: node.value
        case .array(let items): .string(items.map { $0.text ?? $0.value.text }.joined(separator: ","))
        case .object: .string(node.value.text)
        }
    }

    private static func time(_ node: JSONNode?) -> JSONText? {
        node?.text.flatMap(Instant.parsed).map(seconds)
    }

    /// Seconds since 1970, added in two parts: a double does not hold nanoseconds since 1970 exactly.
    private static func seconds(_ instant: Instant) -> JSONText {
        let part = instant - Instant(seconds: instant.seconds)
        return .decimal(Double(instant.seconds) + part.seconds)
    }

    // MARK: The device itself

    /// `DeviceSignals` as records of `org.radarcns.passive.phone.PhoneBatteryLevel`,
    /// `monitor.application.ApplicationUptime`, `ApplicationTimeZone` and `ApplicationRecordCounts`.
    static func signals(_ body: [UInt8]) throws -> [(kind: String, record: JSONText)] {
        let node = try JSONNode(body)
        guard let time = time(node["time"]) else { throw RadarContentError("is none of the device's signals") }
        func record(_ kind: String, _ fields: KeyValuePairs<String, JSONText?>) -> (kind: String, record: JSONText)? {
            // The first field is the measured one.
            guard fields.first?.value != nil else { return nil }
            return (kind, .object([.init("time", time), .init("timeReceived", time)] + JSONText.members(fields)))
        }
        let status = node["status"]?.text.flatMap(BatteryGauge.Status.init(rawValue:)) ?? .unknown
        let isPlugged = [.charging, .notCharging, .full].contains(status)
        return [
            record(
                "battery",
                [
                    "batteryLevel": node["level"]?.value, "isPlugged": .boolean(isPlugged),
                    "status": .string(status.rawValue.uppercased().replacing(" ", with: "_")),
                ]), record("uptime", ["uptime": node["uptime"]?.value]),
            record("time_zone", ["offset": node["offset"]?.value]),
            record(
                "record_counts", ["recordsSent": node["delivered"]?.value, "recordsUnsent": node["waiting"]?.value]),
        ].compactMap(\.self)
    }

    // MARK: Recordings

    /// A stretch of rows of a file, as records.
    struct Rows: Sendable {
        var records: [JSONText] = []
        /// Rows of the file that were read, those without a time or a position included.
        var count = 0
        /// How many of these rows have no known time, and so no record.
        var undated = 0
        var isAtEnd = false
        /// `count` and `undated` as they were after each record.
        fileprivate var ends: [(count: Int, undated: Int)] = []

        func prefix(_ number: Int) -> Rows {
            guard number > 0, number < records.count else { return number > 0 ? self : Rows() }
            return Rows(
                records: Array(records.prefix(number)), count: ends[number - 1].count,
                undated: ends[number - 1].undated)
        }
    }

    /// One of our tables or tracks, read from its beginning to its end.
    final class Reader {
        let path: String
        private(set) var done = 0
        private let next: () throws -> Row?

        init(ofFile path: String) throws {
            self.path = path
            let file = try RecordedFile(path)
            if file.content == .sentences {
                let track = try NMEATrack([file])
                next = { try track.next().map(position) }
                return
            }
            let table = try CSVTable(file)
            let names = table.columns.map(fieldName)
            next = { try table.next().map { record($0, names) } }
        }

        func skip(to row: Int) throws { while done < row, try next() != nil { done += 1 } }

        func rows(most: Int) throws -> Rows {
            var rows = Rows()
            while rows.count < most {
                guard let row = try next() else {
                    rows.isAtEnd = true
                    break
                }
                rows.count += 1
                switch row {
                case .record(let record):
                    rows.records.append(record)
                    rows.ends.append((rows.count, rows.undated))
                case .undated: rows.undated += 1
                case .empty: break
                }
            }
            done += rows.count
            return rows
        }
    }

    private enum Row {
        case record(JSONText)
        /// Nothing was measured.
        case empty
        case undated
    }

    /// A row with `time` and `timeReceived` and a field for each column that has a value.
    private static func record(_ row: CSVTable.Row, _ names: [String]) -> Row {
        guard let time = row.time.map(seconds) else { return .undated }
        let fields = zip(names, row.values).compactMap { name, value in
            value.map { JSONText.Member(name, .number($0)) }
        }
        let uptime = row.uptime.map { [JSONText.Member("uptime", .number($0))] } ?? []
        return .record(.object([.init("time", time), .init("timeReceived", time)] + uptime + fields))
    }

    /// As `org.radarcns.passive.phone.PhoneRelativeLocation`, absolute.
    private static func position(_ epoch: NMEATrack.Epoch) -> Row {
        guard let place = epoch.position else { return .empty }
        guard let time = epoch.time.map(seconds) else { return .undated }
        let fix = epoch.fix
        let ellipsoidHeight = fix.altitudeMSL.flatMap { height in fix.geoidSeparation.map { height + $0 } }
        let values: [(String, Double?)] = [
            ("latitude", place.latitude), ("longitude", place.longitude),
            ("altitude", fix.mode >= 3 ? ellipsoidHeight : nil), ("accuracy", fix.horizontalError),
            ("speed", fix.speed), ("bearing", fix.track),
        ]
        return .record(
            .object(
                [
                    .init("time", time), .init("timeReceived", time), .init("offsetReference", .integer(0)),
                    .init("provider", .string("GPS")),
                ] + values.compactMap { name, value in value.map { .init(name, .number($0)) } }))
    }

    /// Avro's names have letters, digits and `_` alone: `Leq_31.5Hz` is `Leq_31_5Hz`.
    private static func fieldName(_ column: String) -> String {
        String(column.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }
}

/// An item's content is not what `RadarDestination` takes.
struct RadarContentError: ExplainedError, Sendable, Hashable {
    let cause: String
    init(_ cause: String) { self.cause = cause }
    var explanation: Explanation { Explanation(cause: cause) }
}

/// Keeps the file that is being sent open from one step to the next, so that each of its rows is read
/// once. Any thread.
final class RadarReading: Sendable {
    private let reader = Mutex<RadarRecords.Reader?>(nil)

    /// At most `most` rows after the first `done` of a file; the open file continues where it can.
    func rows(ofFile path: String, after done: Int, most: Int) throws -> RadarRecords.Rows {
        try reader.withLock { reader in
            let present: RadarRecords.Reader
            if let open = reader, open.path == path, open.done == done {
                present = open
            } else {
                present = try RadarRecords.Reader(ofFile: path)
                try present.skip(to: done)
            }
            reader = present
            return try present.rows(most: most)
        }
    }

    /// To be called when no step follows: a file that is removed while it is open keeps its space on the disk.
    func close() { reader.withLock { $0 = nil } }
}
