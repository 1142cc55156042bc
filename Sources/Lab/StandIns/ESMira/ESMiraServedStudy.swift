// SPDX-License-Identifier: Apache-2.0
import Lab

/// A study that the stand-in of ESMira serves (`ESMiraStudyFolder`), as its editor saves it: texts in each
/// language, keys in small letters, and the columns of its tables.
struct ESMiraServedStudy: Sendable {
    /// A questionnaire, as far as the server looks at it.
    struct Questionnaire: Sendable {
        let id: Int
        let title: String
        /// 0 = for all groups.
        let group: Int
        /// Datasets that a reward needs.
        let minimumForReward: Int
        let columns: ESMiraColumns
    }

    let id: Int
    let version: Int
    let title: String
    let keys: [String]
    let isPublished: Bool
    let isOver: Bool
    /// Participants are randomised to groups: tables have a column for it.
    let hasGroups: Bool
    let hasRewards: Bool
    /// Days after joining.
    let rewardVisibleAfter: Int
    let questionnaires: [Questionnaire]
    /// The variables that the server counts for its charts.
    let observed: ESMiraObserved
    /// The study by its language; the main one is `_`.
    private let languages: [String: JSONValue]

    /// Reads a study, or a collection `{"_": study, "de": study}` as the editor saves it.
    init(_ root: JSONValue, path: String) throws(StandInFailure) {
        let given = root["_"] ?? root
        guard let id = given["id"].map(ESMiraValue.whole), id > 0, given["questionnaires"]?.array != nil else {
            throw StandInFailure(
                "\(path) is not an ESMira study: it has no id or no questionnaires; use the file the editor saves")
        }
        var main = given
        if ESMiraValue.whole(main["version"]) == 0 { main = main.with("version", .int(1)).with("subVersion", .int(0)) }
        keys = (main["accessKeys"]?.array ?? []).compactMap(\.string).map { $0.lowercased() }
        if main["accessKeys"] != nil { main = main.with("accessKeys", .array(keys.map(JSONValue.string))) }
        var languages = ["_": main]
        for member in root["_"] == nil ? [] : root.members where member.name != "_" {
            languages[member.name] = member.value
        }
        self.languages = languages
        self.id = id
        observed = ESMiraObserved(main)
        version = ESMiraValue.whole(main["version"])
        title = Self.text(main["title"]) ?? "Error"
        isPublished = main["published"]?.bool ?? false
        isOver = main["studyOver"]?.bool ?? false
        hasGroups = ESMiraValue.whole(main["randomGroups"]) >= 2
        hasRewards = main["enableRewardSystem"]?.bool ?? false
        rewardVisibleAfter = min(max(ESMiraValue.whole(main["rewardVisibleAfterDays"]), 0), 36_500)
        questionnaires = try Self.questionnaires(main, path)
    }

    /// The study as an app gets it that asks for this language.
    func json(_ language: String) -> JSONValue { languages[language] ?? languages["_"] ?? .null }

    /// A key opens the study, or it needs none.
    func isOpened(by key: String?) -> Bool { keys.isEmpty || key.map { keys.contains($0.lowercased()) } ?? false }

    /// In the first language, where the editor's download has several.
    private static func text(_ value: JSONValue?) -> String? { value?.string ?? value?.members.first?.value.string }

    private static func questionnaires(_ study: JSONValue, _ path: String) throws(StandInFailure) -> [Questionnaire] {
        var ids: Set<Int> = []
        var all: [Questionnaire] = []
        for questionnaire in study["questionnaires"]?.array ?? [] {
            let id = questionnaire["internalId"].map(ESMiraValue.whole) ?? -1
            guard id > 0, ids.insert(id).inserted else {
                throw StandInFailure(
                    "\(path) has two questionnaires with internalId \(id), or one without; give each its own number")
            }
            all.append(
                Questionnaire(
                    id: id, title: text(questionnaire["title"]) ?? "",
                    group: ESMiraValue.whole(questionnaire["limitToGroup"]),
                    minimumForReward: ESMiraValue.whole(questionnaire["minDataSetsForReward"]),
                    columns: ESMiraColumns(questionnaire)))
        }
        return all
    }
}
