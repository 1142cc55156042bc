// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformKit
import Platforms
import Study
import SystemKit

/// The list from which `studyd provision` makes a folder for each device.
package struct ParticipantList: Sendable {
    package struct Entry: Sendable {
        /// Of the list, from 1.
        package let line: Int
        package let participant: String
        /// A file, relative to the list, or an address.
        package let study: String
        /// A board that comes with studyd, or a file, relative to the list.
        package let board: String
        /// Options of the study's platform by their names, the token among them.
        package let options: [String: String]
        /// A file, relative to the list.
        package let consent: String?
        package let receiver: String?
        package let zone: String?
        package let holdTimes: HoldTimes
        package let language: String?
        package let wifi: WiFiFile?

        /// As `studyd enroll` takes them.
        package var arguments: PlatformArguments {
            options.sorted { $0.key < $1.key }.reduce(into: PlatformArguments()) { $0.add($1.key, $1.value) }
        }

        package var isStudyAddress: Bool { study.firstRange(of: "://") != nil }
    }

    /// The most characters of a pseudonym: it names a folder, also on Windows.
    private static let longestName = 64
    /// The list's own columns.
    private static let own = [
        "participant", "study", "board", "consent", "receiver", "zone", "hold_times", "language", "wifi",
        "wifi_password", "wifi_country",
    ]

    package let entries: [Entry]
    private let file: String

    /// Reads the whole list; throws everything that is wrong with it, each with line and column.
    package init(parsing bytes: [UInt8], file: String) throws {
        self.file = file
        let table = try SeparatedTable(parsing: bytes, file: file)
        let known = Self.own + Self.options
        var mistakes = table.columns.filter { !$0.isEmpty && !known.contains($0) }.map { name in
            Explanation(
                place: "\(file), line 1, column '\(name)'", cause: "unknown column",
                remedy: Misspelling.nearest(name, in: known).map { "did you mean '\($0)'?" }
                    ?? "columns are \(known.joined(separator: ", "))")
        }
        for (index, name) in table.columns.enumerated() where !name.isEmpty && table.columns[..<index].contains(name) {
            mistakes.append(
                Explanation(
                    place: "\(file), line 1, column '\(name)'", cause: "there are two columns of that name",
                    remedy: "remove one of them"))
        }
        if let row = table.longRow {
            mistakes.append(
                Explanation(place: "\(file), line \(row.line)", cause: "has more fields than there are columns"))
        }
        guard mistakes.isEmpty else { throw ListMistakes(mistakes) }
        var entries: [Entry] = []
        for row in table.rows {
            var reader = RowReader(table: table, row: row, file: file)
            let entry = reader.entry(Self.options)
            mistakes += reader.mistakes
            if let entry { entries.append(entry) }
        }
        mistakes += Self.doubles(entries, file)
        if table.rows.isEmpty { mistakes.append(Explanation(place: file, cause: "names no participant")) }
        guard mistakes.isEmpty else { throw ListMistakes(mistakes) }
        self.entries = entries
    }

    /// The place of a cell, for what is found out about its content.
    package func place(_ entry: Entry, _ column: String) -> String { "\(file), line \(entry.line), column '\(column)'" }

    /// The options of platforms that take a value, which may be columns as well.
    private static var options: [String] {
        PlatformCatalog.standard.options([.reading, .enrolling]).filter { $0.value != nil }.map(\.name).filter {
            !own.contains($0)
        }
    }

    /// The file systems of cards do not tell capitals from small letters.
    private static func doubles(_ entries: [Entry], _ file: String) -> [Explanation] {
        var seen: [String: Int] = [:]
        return entries.compactMap { entry in
            defer { seen[entry.participant.lowercased()] = entry.line }
            guard let line = seen[entry.participant.lowercased()] else { return nil }
            return Explanation(
                place: "\(file), line \(entry.line), column 'participant'",
                cause: "\(entry.participant) is already in line \(line)", remedy: "each participant has one device")
        }
    }

    /// Reads one row, and collects what is wrong with it.
    private struct RowReader {
        let table: SeparatedTable
        let row: SeparatedTable.Row
        let file: String
        var mistakes: [Explanation] = []

        mutating func entry(_ names: [String]) -> Entry? {
            let options = names.reduce(into: [:]) { $0[$1] = table.value($1, in: row) }
            let (participant, study, board) = (participant(), required("study"), required("board"))
            let entry = Entry(
                line: row.line, participant: participant, study: study, board: board, options: options,
                consent: table.value("consent", in: row), receiver: receiver(), zone: zone(), holdTimes: holdTimes(),
                language: language(), wifi: wifi())
            for (name, value) in options.sorted(by: { $0.key < $1.key }) {
                var option = PlatformArguments()
                option.add(name, value)
                check(name) { try PlatformCatalog.standard.check(option) }
            }
            return mistakes.isEmpty ? entry : nil
        }

        private mutating func required(_ column: String) -> String {
            guard let value = table.value(column, in: row) else {
                complain(column, "is missing")
                return ""
            }
            return value
        }

        private mutating func participant() -> String {
            let name = required("participant")
            let isPlain = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
            if !isPlain || name.utf8.count > longestName || name.first == "." || name.last == "." {
                complain("participant", "'\(name)' does not name a folder", remedy: "use letters, digits, - and _")
            }
            return name
        }

        private mutating func receiver() -> String? {
            guard let url = table.value("receiver", in: row) else { return nil }
            if !url.hasPrefix("http://") && !url.hasPrefix("https://") || PostAddress(url).problem != nil {
                complain(
                    "receiver", "'\(url)' is not an address", remedy: "use one such as https://lab.example.org:8080")
            }
            return url
        }

        private mutating func zone() -> String? {
            let zone = table.value("zone", in: row)
            if let zone { check("zone") { _ = try SystemZone.load(zone) } }
            return zone
        }

        private mutating func holdTimes() -> HoldTimes {
            guard let text = table.value("hold_times", in: row) else { return .usual }
            if let times = HoldTimes(rawValue: text) { return times }
            let known = HoldTimes.allCases.map(\.rawValue).joined(separator: " or ")
            complain("hold_times", "'\(text)' is not \(known)")
            return .usual
        }

        private mutating func language() -> String? {
            guard let tag = table.value("language", in: row) else { return nil }
            if Language(tag: tag) == nil {
                let known = Language.allCases.map(\.tag).joined(separator: ", ")
                complain("language", "there are no words in '\(tag)'", remedy: "use one of \(known), or leave it empty")
            }
            return tag
        }

        private mutating func wifi() -> WiFiFile? {
            let (name, password) = (table.value("wifi", in: row), table.value("wifi_password", in: row))
            guard let name else {
                if password != nil { complain("wifi", "is missing", remedy: "a password needs the name of its Wi-Fi") }
                return nil
            }
            guard let password else {
                complain("wifi_password", "is missing", remedy: "a Wi-Fi without one is set up by Raspberry Pi Imager")
                return nil
            }
            do throws(WiFiError) {
                return try WiFiFile(name: name, password: password, country: table.value("wifi_country", in: row))
            } catch {
                let column =
                    switch error {
                    case .name: "wifi"
                    case .password: "wifi_password"
                    case .country: "wifi_country"
                    }
                complain(column, error.explanation.cause, remedy: error.explanation.remedy)
                return nil
            }
        }

        private mutating func check(_ column: String, _ body: () throws -> Void) {
            do { try body() } catch { complain(column, Explanation(error).cause, remedy: Explanation(error).remedy) }
        }

        private mutating func complain(_ column: String, _ cause: String, remedy: String? = nil) {
            mistakes.append(
                Explanation(place: "\(file), line \(row.line), column '\(column)'", cause: cause, remedy: remedy))
        }
    }
}

/// Everything that is wrong with a list.
package struct ListMistakes: Error, Sendable, Hashable, CustomStringConvertible {
    package let all: [Explanation]

    package init(_ all: [Explanation]) { self.all = all }

    package var description: String {
        (["\(Plural.of(all.count, "mistake")); nothing was written"] + all.map(\.description)).joined(separator: "\n")
    }
}
