// SPDX-License-Identifier: Apache-2.0
import Base

/// Which participants, days and order a page or a table shows, as `PageRoutes` and `LabTables` read it from a
/// request. All of it but `before` is in the address, so that a view can be bookmarked and sent.
struct LabQuery: Sendable, Hashable {
    /// A participant's code; nil = all, empty = what came without a code.
    var user: String?
    var day: LocalDate?
    /// Minutes after midnight of that day.
    var minute: Int?
    var study: String?
    /// A kind of `Attention`, or `any`.
    var attention: String?
    /// What name, label, note or device have to contain.
    var text: String?
    /// A column to sort by, with `-` before it in descending order.
    var sort: String?
    var page = 1
    /// How many of the latest days; nil = all that are kept.
    var days: Int? = LabQuery.usualDays
    /// Answers that come later than this many minutes after their prompt are late.
    var late = LabQuery.usualLate
    /// Only uploads with a smaller number than this are in the table of recordings, which makes its own links.
    var before = Int64.max
    /// Seconds after which a browser loads the page again; nil = never.
    var reload: Int?

    static let usualDays = 14
    static let usualLate = 15
    private static let longest = 200

    init() {}

    /// Throws 400 for a value out of range.
    init(_ request: HTTPRequest) throws(HTTPFailure) {
        func item(_ name: String) throws(HTTPFailure) -> String? {
            guard let text = request.queryItem(name), !text.isEmpty else { return nil }
            guard text.count <= Self.longest else { throw HTTPFailure(400, "\(name) is too long") }
            return text
        }
        func number(_ name: String, _ range: ClosedRange<Int>) throws(HTTPFailure) -> Int? {
            guard let text = try item(name) else { return nil }
            guard let number = Int(text), range.contains(number) else {
                throw HTTPFailure(
                    400, "\(name) has to be a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
        user = try request.queryItem("user") == "" ? "" : item("user")
        (study, attention) = (try item("study"), try item("attention"))
        (text, sort) = (try item("q"), try item("sort"))
        if let attention, attention != "any", Attention.Kind(rawValue: attention) == nil {
            let kinds = Attention.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw HTTPFailure(400, "attention has to be any, \(kinds)")
        }
        day = try item("day").map { (text) throws(HTTPFailure) in
            guard let day = try? LocalDate(parsing: text), (1970...2261).contains(day.components.year) else {
                throw HTTPFailure(400, "day has to be a day such as 2026-11-25")
            }
            return day
        }
        minute = try item("at").map { (text) throws(HTTPFailure) in
            let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
            guard parts.count == 2, (0..<24).contains(parts[0]), (0..<60).contains(parts[1]) else {
                throw HTTPFailure(400, "at has to be a time of day such as 10:03")
            }
            return parts[0] * 60 + parts[1]
        }
        page = try number("page", 1...10_000) ?? 1
        days = try item("days") == "all" ? nil : try number("days", 1...3660) ?? Self.usualDays
        late = try number("late", 1...10_080) ?? Self.usualLate
        reload = try number("reload", 10...3600)
        before = request.queryItem("before").flatMap { Int64($0) } ?? .max
    }

    /// The days by UTC: the one that is looked at, or the latest `days`; nil = no bound.
    func span(at now: Instant) -> (from: LocalDate?, until: LocalDate?) {
        if let day { return (day, day.adding(days: 1)) }
        guard let days else { return (nil, nil) }
        return (LocalDateTime(now, offset: 0).date.adding(days: 1 - days), nil)
    }

    /// The days of a dataset: the day that is looked at, else the latest `days`, else all. The usual number counts as
    /// all: it is also the default.
    func datasetSpan(at now: Instant) -> (from: LocalDate?, until: LocalDate?) {
        guard day != nil || days != Self.usualDays else { return (nil, nil) }
        return span(at: now)
    }

    /// The address of another view.
    func address(_ path: String = "/", _ change: (inout LabQuery) -> Void = { _ in }) -> String {
        var query = self
        change(&query)
        let items = query.items.map { "\($0.0)=\(Page.percentEncoded($0.1))" }
        return items.isEmpty ? path : path + "?" + items.joined(separator: "&")
    }

    /// The address of this view sorted by that column; where it is that already, in descending order.
    func sorted(by column: String) -> String {
        address { query in
            query.sort = sort == column ? "-" + column : column
            query.page = 1
        }
    }

    /// The items that differ from the defaults, under the names that `init` reads.
    private var items: [(String, String)] {
        var items: [(String, String?)] = [
            ("user", user), ("day", day?.description), ("at", minute.map(Self.clock)), ("study", study),
            ("attention", attention), ("q", text), ("sort", sort),
        ]
        if page > 1 { items.append(("page", String(page))) }
        if days != Self.usualDays { items.append(("days", days.map(String.init) ?? "all")) }
        if late != Self.usualLate { items.append(("late", String(late))) }
        if let reload { items.append(("reload", String(reload))) }
        return items.compactMap { name, value in value.map { (name, $0) } }
    }

    /// `10:03`.
    static func clock(_ minute: Int) -> String { "\((minute / 60).padded(2)):\((minute % 60).padded(2))" }
}

extension LocalDate {
    /// This day by UTC, with a day to spare at both ends: a participant's day is not UTC's.
    var withSpareDays: (from: Instant, to: Instant) {
        let start = LocalDateTime(self, .midnight).instant(offset: 0)
        return (start - .seconds(86_400), start + .seconds(2 * 86_400))
    }
}
