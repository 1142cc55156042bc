// SPDX-License-Identifier: Apache-2.0
import Lab

/// What statistics.php answers: for each variable that a chart of all participants needs, what has been counted
/// of it. `ESMiraAPI` makes one for each.
struct ESMiraStatistics {
    let entry: ESMiraObserved.Entry
    /// What came of it, oldest first; `time` in Unix ms.
    let answers: [(time: Int, answer: String)]

    /// The most values kept of a `perData` variable; older ones go.
    private static let mostValues = 2000

    var json: JSONValue {
        let data: [JSONValue.Member] =
            switch entry.storage {
            case .timed: timed
            case .frequency: frequencies
            case .perData: values
            }
        let head: [JSONValue.Member] = [
            .init(name: "storageType", value: .int(entry.storage.rawValue)),
            .init(name: "entryCount", value: .int(data.count)), .init(name: "data", value: .object(data)),
        ]
        guard entry.storage == .timed else { return .object(head) }
        return .object(head + [.init(name: "timeInterval", value: .int(entry.interval))])
    }

    /// An unanswered question counts as one answer of its interval, and adds nothing to the sum.
    private var timed: [JSONValue.Member] {
        var intervals: [(start: Int, sum: Double, count: Int)] = []
        for (time, answer) in answers {
            let interval = max(1, entry.interval)
            let second = Int((Double(time) / 1000 / Double(interval)).rounded(.down)) * interval
            let value = ESMiraValue.decimal(answer)
            if let place = intervals.firstIndex(where: { $0.start == second }) {
                intervals[place].sum += value
                intervals[place].count += 1
            } else {
                intervals.append((second, value, 1))
            }
        }
        return intervals.map { interval in
            .init(
                name: String(interval.start),
                value: .members(["sum": ESMiraValue.json(interval.sum), "count": .int(interval.count)]))
        }
    }

    private var frequencies: [JSONValue.Member] {
        var counts: [(answer: String, count: Int)] = []
        for (_, answer) in answers where !answer.isEmpty {
            if let place = counts.firstIndex(where: { $0.answer == answer }) {
                counts[place].count += 1
            } else {
                counts.append((answer, 1))
            }
        }
        return counts.map { .init(name: $0.answer, value: .int($0.count)) }
    }

    private var values: [JSONValue.Member] {
        answers.enumerated().suffix(Self.mostValues).map { place, answer in
            .init(name: String(place), value: ESMiraValue.json(ESMiraValue.decimal(answer.answer)))
        }
    }
}
