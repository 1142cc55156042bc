// SPDX-License-Identifier: Apache-2.0
import Lab

/// What statistics.php counts: the variables that the charts of all participants need, as the server wrote them
/// into the study (`publicStatistics.observedVariables`) when its editor saved it. A part of
/// `ESMiraServedStudy`.
struct ESMiraObserved: Sendable {
    /// How a variable's values are kept.
    enum Storage: Int, Sendable {
        /// Sum and count of each day.
        case timed
        /// How often each value came.
        case frequency
        /// Every value.
        case perData
    }

    /// One way in which a variable is kept.
    struct Entry: Sendable {
        /// Unique within the study.
        let name: String
        let storage: Storage
        /// Seconds.
        let interval: Int
        let conditions: [JSONValue]
        /// 0 all, 1 and, 2 or.
        let conditionType: Int
    }

    /// Both lists are in the order of the study: its charts refer to an entry by its place.
    let variables: [(key: String, entries: [Entry])]

    init(_ study: JSONValue) {
        let observed = study["publicStatistics"]?["observedVariables"]?.members ?? []
        variables = observed.map { variable in
            let entries = (variable.value.array ?? []).enumerated().map { place, entry in
                Entry(
                    name: "\(variable.name) \(place)",
                    storage: Storage(rawValue: ESMiraValue.whole(entry["storageType"])) ?? .perData,
                    interval: ESMiraValue.whole(entry["timeInterval"]), conditions: entry["conditions"]?.array ?? [],
                    conditionType: ESMiraValue.whole(entry["conditionType"]))
            }
            return (variable.name, entries)
        }
    }
}
