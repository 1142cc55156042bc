// SPDX-License-Identifier: Apache-2.0
import PlatformESMira

/// A questionnaire being filled out, as scripts see it.
package struct Evening: MerlinHost {
    package init() {}

    package func answer(_ item: String) -> String? {
        ["mood": "4", "word": "so so", "empty": "", "half": "0.5", "yes": "1", "no": "0"][item]
    }

    package func addition(_ item: String, _ key: String) -> String? {
        ["mood~other": "x", "word~1": "1", "word~2": "0"]["\(item)~\(key)"]
    }

    package func fact(_ fact: MerlinFact) -> MerlinValue {
        switch fact {
        case .group: .number(2)
        case .studyID: .number(4711)
        case .studyVersion: .number(3)
        case .studyLanguage: .text("en")
        case .questionnaireName: .text("Evening")
        case .appType: .text("studyd")
        case .appVersion: .text("1.0")
        case .timeZone: .text("CEST")
        case .timeZoneOffset: .number(7_200_000)
        }
    }

    package func hasVirtualItem(_ name: String) -> Bool { name == "score" }
    package func isFillable(internalID: Int) -> Bool? { [50_001: true, 50_002: false][internalID] }
    package var now: Int64 { 1_787_000_000_123 }
    package var midnight: Int64 { 1_786_917_600_000 }
    package var day: Int { 5 }
    package var language: String { "de" }
}
