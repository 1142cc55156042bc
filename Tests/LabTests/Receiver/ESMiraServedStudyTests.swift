// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Lab
@testable import StandIns

@Suite struct ESMiraServedStudyTests {
    /// The editor saves a study alone, or a collection of its languages.
    @Test(arguments: [
        (#"{"_":MAIN,"de":OTHER,"fr":{"title":"Titre"}}"#, ["_": "T", "de": "Titel", "fr": "Titre", "es": "T"]),
        (#"{"_":MAIN}"#, ["_": "T", "de": "T"]), ("MAIN", ["_": "T", "de": "T"]),
        // Not a collection: what it calls "de" is no language.
        (#"{"id":7,"title":"T","questionnaires":[],"de":OTHER}"#, ["_": "T", "de": "T"]),
    ])
    func aStudyIsGivenInTheLanguageThatIsAskedFor(text: String, titles: [String: String]) throws {
        let main = #"{"id":7,"title":"T","questionnaires":[]}"#
        let other = #"{"id":7,"title":"Titel","questionnaires":[]}"#
        let root = try JSONReader.value(text.replacing("MAIN", with: main).replacing("OTHER", with: other))
        let study = try ESMiraServedStudy(root, path: "study.json")
        #expect(study.id == 7 && study.title == "T")
        for (language, title) in titles { #expect(study.json(language)["title"]?.string == title, "\(language)") }
    }

    /// A text that differs between languages is an object in what the editor downloads (`TranslatablePrimitive.ts:48`,
    /// ESMira-web 0750ca3).
    @Test func aDownloadedStudyHasItsFirstTitle() throws {
        let root = try JSONReader.value(
            #"{"id":7,"title":{"en":"T","de":"Titel"},"questionnaires":[{"internalId":71,"title":{"en":"Q","de":"F"}}]}"#
        )
        let study = try ESMiraServedStudy(root, path: "study.json")
        #expect(study.title == "T" && study.questionnaires.map(\.title) == ["Q"])
    }

    /// What a participant may write beside the choices has columns where the study allows it.
    @Test(
        arguments: [
            (#""responseType":"list_single""#, ["q"]), (#""responseType":"list_single","other":false"#, ["q"]),
            (#""responseType":"list_single","other":true"#, ["q", "q~other"]),
            (#""responseType":"list_multiple","listChoices":["a","b"]"#, ["q", "q~1", "q~2"]),
            (
                #""responseType":"list_multiple","listChoices":["a","b"],"other":true"#,
                ["q", "q~1", "q~2", "q~other", "q~other_text"]
            ),
            (#""responseType":"list_multiple","other":false"#, ["q"]), (#""responseType":"text""#, []),
            (#""required":true"#, ["q"]),
        ] as [(String, [String])])
    func anInputHasItsColumns(input: String, columns: [String]) throws {
        let questionnaire = try JSONReader.value(#"{"pages":[{"inputs":[{"name":"q",\#(input)}]}]}"#)
        #expect(ESMiraColumns(questionnaire).names == columns)
    }

    private func fits(_ values: String, _ type: Int, _ conditions: [String]) throws -> Bool {
        let entry = ESMiraEntry(
            try JSONReader.value(#"{"responses":\#(values)}"#), user: "aaaa", app: (type: "t", version: "1"), at: 0)
        return entry.fits(
            .init(
                name: "x", storage: .perData, interval: 0, conditions: try conditions.map { try JSONReader.value($0) },
                conditionType: type))
    }

    /// Equal, unequal, at least, at most; numbers by their size, and texts by their letters.
    @Test(arguments: [
        ("4", 0, "4.0", true), ("4", 0, "5", false), ("4", 1, "4.0", false), ("4", 1, "5", true),
        ("10", 2, "9", true), ("9", 2, "9", true), ("8", 2, "9", false),
        ("10", 3, "9", false), ("9", 3, "9", true), ("8", 3, "9", true),
        ("a", 0, "a", true), ("a", 0, "b", false), ("a", 1, "a", false), ("a", 1, "b", true),
        ("b", 2, "a", true), ("a", 2, "a", true), ("a", 2, "b", false), ("b", 3, "a", false), ("a", 3, "a", true),
    ])
    func aConditionComparesAnAnswer(answer: String, comparison: Int, value: String, holds: Bool) throws {
        let condition = #"{"key":"n","operator":\#(comparison),"value":"\#(value)"}"#
        #expect(try fits(#"{"n":"\#(answer)"}"#, 1, [condition]) == holds)
    }

    /// 0 all, 1 and, 2 or; the server of ESMira lets what meets none of several through where they are joined by "or".
    @Test(arguments: [
        (0, ["1", "1"], true), (0, ["2", "2"], true), (1, ["1", "1"], true), (1, ["1", "2"], false),
        (1, ["2", "1"], false), (1, [], true), (2, ["1", "2"], true), (2, ["2", "1"], true), (2, ["2", "2"], true),
    ])
    func conditionsAreJoined(type: Int, values: [String], isMet: Bool) throws {
        let conditions = values.map { #"{"key":"n","operator":0,"value":"\#($0)"}"# }
        #expect(try fits(#"{"n":"1"}"#, type, conditions) == isMet)
    }
}
