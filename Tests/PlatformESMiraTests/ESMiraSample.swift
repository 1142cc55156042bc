// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformFixtures
import Study
import Testing

@testable import PlatformESMira

/// Studies for tests, written as the editor writes them.
enum ESMiraSample {
    static func study(_ questionnaire: String, _ more: String = "") throws -> StudyProtocol {
        try ESMiraReader().decode(StudySource(Array(text(questionnaire, more).utf8)))
    }

    /// The first questionnaire as datasets have it.
    static func questionnaire(of study: StudyProtocol) throws -> ESMiraQuestionnaire {
        let writer = try #require(study.writer as? ESMiraWriter)
        return try #require(writer.questionnaires[study.tasks[0].key])
    }

    static func text(_ questionnaire: String, _ more: String = "", language: String = "en") -> String {
        #"{"id":4711,"version":3,"subVersion":1,"lang":"\#(language)","title":"T"\#(more),"questionnaires":[{"internalId":50001,"title":"EMA",\#(questionnaire)}]}"#
    }

    static let pages = #""pages":[{"inputs":[{"name":"mood","responseType":"likert","likertSteps":7}]}]"#

    static func problems(_ text: String) -> [StudyFormatError.Problem] {
        do {
            _ = try ESMiraReader().decode(StudySource(Array(text.utf8)))
            return []
        } catch {
            return error.problems
        }
    }

    /// Joined on 2 March 2026 (a Monday) at ten.
    static func occurrences(_ study: StudyProtocol, zone: Zone = .utc, seed: UInt8 = 1) -> [Occurrence] {
        study.tasks.flatMap { $0.schedule.occurrences(of: $0, in: Joined.context(seed: seed, zone: zone)) }
    }

    static func prompts(_ signal: String, schedule: String = "", questionnaire: String = "") throws -> [String] {
        let study = try study(
            #"\#(pages)\#(questionnaire),"actionTriggers":[{"actions":[{}],"schedules":[{"signalTimes":[\#(signal)]\#(schedule)}]}]"#
        )
        return occurrences(study).filter(\.isSignalled).map { "\($0.local)" }
    }
}
