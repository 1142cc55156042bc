// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// The limits beyond which a device of a study needs attention: `limits.toml` of the data folder, which
/// `FleetWatch` reads for `FleetRules`.
///
///     [study."mood-2026"]
///     compliance = 0.7      # answered of those that are over, of the last seven days
///     silent_after = "2h"   # without a report; a device's own word counts where it is longer
///     battery = 0.2
///     disk = "500 MB"       # free; the device's own word counts in any case
struct FleetLimits: Sendable, Hashable {
    var compliance = 0.7
    var silentAfter: Duration = .zero
    var battery = 0.2
    /// Free bytes; 0 = only the device's own word counts.
    var disk: Int64 = 0

    /// Limits that were stated, by study; every other has the defaults.
    struct Table: Sendable, Hashable {
        private var studies: [String: FleetLimits] = [:]

        init() {}

        subscript(study: String) -> FleetLimits { studies[study] ?? FleetLimits() }

        /// Throws `FleetLimitsError` and `TOMLError`.
        init(parsing bytes: [UInt8]) throws {
            let file = try TOMLTable(parsing: bytes)
            for key in file.keys where key != "study" {
                throw FleetLimitsError(key, "is not known; use [study.\"ID\"]")
            }
            guard let value = file["study"] else { return }
            guard case .table(let table) = value.content else { throw FleetLimitsError("study", "has to be a table") }
            for study in table.keys {
                guard let value = table[study], case .table(let limits) = value.content else {
                    throw FleetLimitsError("study.\(study)", "has to be a table")
                }
                studies[study] = try FleetLimits(limits, of: study)
            }
        }

        /// The file at `path`; the defaults where there is none.
        static func read(_ path: String) throws -> Table {
            guard access(path, F_OK) == 0 else { return Table() }
            do {
                return try Table(parsing: try BoundedFile.read(path, limit: 1 << 20))
            } catch let error as TOMLError {
                throw FleetLimitsError(path, error.description)
            }
        }
    }

    init() {}

    private init(_ table: TOMLTable, of study: String) throws(FleetLimitsError) {
        for key in table.keys {
            guard let value = table[key]?.content else { continue }
            let place = "study.\(study).\(key)"
            switch (key, value) {
            case ("compliance", _): compliance = try Self.share(value, place)
            case ("battery", _): battery = try Self.share(value, place)
            case ("silent_after", .string(let text)):
                guard let duration = try? Duration(parsing: text), duration > .zero else {
                    throw FleetLimitsError(place, "has to be a duration such as \"2h\"")
                }
                silentAfter = duration
            case ("disk", .string(let text)):
                guard let bytes = Self.bytes(text) else {
                    throw FleetLimitsError(place, "has to be a size such as \"500 MB\"")
                }
                disk = bytes
            case ("silent_after", _), ("disk", _):
                throw FleetLimitsError(place, "has to be a text in quotation marks")
            default:
                throw FleetLimitsError(place, "is not known; use compliance, silent_after, battery or disk")
            }
        }
    }

    private static func share(_ value: TOMLValue.Content, _ place: String) throws(FleetLimitsError) -> Double {
        let number: Double? =
            switch value {
            case .float(let number): number
            case .integer(let number): Double(number)
            default: nil
            }
        guard let number, (0...1).contains(number) else {
            throw FleetLimitsError(place, "has to be a number from 0 to 1")
        }
        return number
    }

    /// `500 MB`, `2GB`, `1024`: decimal units, as disks are sold.
    static func bytes(_ text: String) -> Int64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let units: [String: Int64] = ["": 1, "B": 1, "KB": 1000, "MB": 1_000_000, "GB": 1_000_000_000]
        guard let count = Int64(digits), let unit = units[text[digits.endIndex...].trimmed.uppercased()] else {
            return nil
        }
        let (product, isOver) = count.multipliedReportingOverflow(by: unit)
        return isOver ? nil : product
    }
}

struct FleetLimitsError: ExplainedError, Sendable, Hashable {
    let explanation: Explanation

    init(_ place: String, _ cause: String) {
        explanation = Explanation(place: place, cause: cause, remedy: "correct limits.toml; the limits before it hold")
    }
}
