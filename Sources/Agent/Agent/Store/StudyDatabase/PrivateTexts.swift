// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study

extension StudyDatabase {
    /// What `studyd support` has cut out of its texts: names, seeds and addresses of all enrolments in the store, and
    /// answers that are choices, texts, numbers or positions, except those too short to tell from ordinary words.
    package func privateTexts() throws -> [String] {
        let records = try enrolments().map(\.record)
        let answers = try connection.rows("SELECT value FROM answer UNION SELECT value FROM variable") {
            try StoredAnswer.value($0.string(0), in: connection)
        }.compactMap(\.self)
        return records.flatMap(\.privateTexts) + answers.flatMap(\.texts)
    }
}

extension EnrolmentRecord {
    var privateTexts: [String] { [participant, studyID, seed, source] + [postURL].compactMap(\.self) }
}

extension AnswerValue {
    /// As a text may contain them; those with fewer than four characters are left out, since they cannot be told
    /// from ordinary words.
    fileprivate var texts: [String] {
        let all: [String]
        switch self {
        case .choices(let choices): all = choices
        case .text(let text): all = [text]
        case .number(let number): all = [JSONText.spelling(of: number)]
        case .position(let latitude, let longitude): all = [latitude, longitude].map { JSONText.spelling(of: $0) }
        case .boolean, .cleared, .dateTime, .recording, .performance: all = []
        }
        return all.filter { $0.count >= 4 }
    }
}
