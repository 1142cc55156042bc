// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// The steps of an activity that are shown only where an answer leads to them, by the question that
/// leads there.
struct MyStudiesHiddenSteps {
    private var hidden: [String: [JSONPlace]] = [:]
    /// Every question, those of forms too, by its own key.
    private var sources: [String: JSONPlace] = [:]
    /// Keys of the hidden steps that name a question of this activity and have logic for its answer.
    private var reachable: Set<String> = []

    static func isHidden(_ place: JSONPlace) -> Bool { place.member("defaultVisibility")?.boolean == false }

    init(_ known: [(place: JSONPlace, key: String)]) {
        for (place, key) in known {
            sources[key] = place
            for member in place.member("steps")?.elements ?? [] where member.isObject {
                if let own = member.member("key")?.text { sources[own] = member }
            }
        }
        for (place, key) in known where Self.isHidden(place) {
            guard let source = place.member("sourceQuestionKey")?.text, !source.isEmpty else { continue }
            hidden[source, default: []].append(place)
            if sources[source] != nil, let value = place.member("preLoadLogic")?.member("value")?.text, !value.isEmpty {
                reachable.insert(key)
            }
        }
    }

    /// The hidden steps to which the answer to that question may lead.
    func steps(after question: String) -> [JSONPlace] { hidden[question] ?? [] }
    func isReachable(_ key: String) -> Bool { reachable.contains(key) }
    /// The question of that key.
    func question(_ key: String) -> JSONPlace? { sources[key] }
}
