// SPDX-License-Identifier: Apache-2.0
import Base

/// How the prompts of a device went, day by day, as its latest upload said; `LogHeads` keeps the field, and
/// `Participants` reads it where the device sends no reports:
///
///     Studyd-Compliance: <day>=<due>/<answered>/<late>/<missed> <day>=…
///
/// `late` counts those of `answered` that came more than a quarter of an hour after they were due;
/// `due` includes prompts that are still open.
struct ComplianceDays: Sendable, Hashable {
    struct Day: Sendable, Hashable {
        let date: LocalDate
        let due: Int
        let answered: Int
        let late: Int
        let missed: Int
    }

    /// The latest day last.
    let days: [Day]

    /// Nil for a field that cannot be read.
    init?(_ field: String) {
        guard field.utf8.count <= 2000 else { return nil }
        var days: [Day] = []
        for word in field.split(separator: " ") {
            let parts = word.split(separator: "=")
            guard parts.count == 2, let date = try? LocalDate(parsing: String(parts[0])) else { return nil }
            let counts = parts[1].split(separator: "/", omittingEmptySubsequences: false).compactMap { Int($0) }
            guard counts.count == 4, counts.allSatisfy({ (0...10_000).contains($0) }),
                counts[1] + counts[3] <= counts[0], counts[2] <= counts[1]
            else { return nil }
            days.append(Day(date: date, due: counts[0], answered: counts[1], late: counts[2], missed: counts[3]))
        }
        guard !days.isEmpty, days.count <= 31 else { return nil }
        self.days = days.sorted { $0.date < $1.date }
    }
}
