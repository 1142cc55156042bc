// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Dataset

/// The words of studies, from files as each platform's editor saves them.
struct CodebookReaderTests {
    private static let studies = LabFixture.root + "/studies/"

    @Test(arguments: [
        ("STUDYD1", "sleep-and-movement.json", "morning", "rested", "slider", ["0=not at all", "10=fully"]),
        ("STUDYD1", "sleep-and-movement.json", "moment", "company", "yesno", ["Yes=Yes", "No=No"]),
        ("2601", "esmira.json", "26011", "mood", "likert", ["1=very bad", "7=very good"]),
        ("2601", "esmira.json", "26011", "place", "list_single", ["1=at home", "2=at work", "3=on the way"]),
        ("2601", "esmira.json", "26011", "symptoms~2", "list_multiple", ["0=no", "1=yes"]),
        ("EXAMPLE", "mystudies", "Diary", "mood", "scale", ["0=Not well at all", "10=Very well"]),
        ("EXAMPLE", "mystudies", "Welcome", "first", "boolean", ["true=yes", "false=no"]),
    ]) func aQuestionHasItsWordsAndLevels(
        study: String, file: String, task: String, name: String, type: String, levels: [String]
    ) throws {
        let codebook = try CodebookReader.read(study, kept: "", given: [Self.studies + file]).codebook
        let item = try #require(codebook.items.first { $0.task == task && $0.item == name })
        #expect(item.type == type && !item.words.isEmpty)
        #expect(item.levels.map { "\($0.value)=\($0.words)" } == levels)
    }

    @Test func tasksThatAreSentByTheirPlaceHaveNames() throws {
        let codebook = try CodebookReader.read("STUDYD1", kept: "", given: [LabFixture.studyFile]).codebook
        #expect(codebook.tasksByPlace[2] == "moment" && codebook.title == "Sleep and movement")
    }

    @Test func aQuestionOfAnUnknownTaskHasWordsWhereOnlyOneIsCalledThat() {
        var codebook = Codebook()
        codebook.items = [("a", "q1"), ("b", "q1"), ("b", "q2")].map { task, item in
            .init(task: task, taskName: task, item: item, type: "text", words: "\(task) \(item)")
        }
        let found = [("a", "q1"), ("b", "q1"), ("c", "q1"), ("c", "q2"), ("a", "q2"), ("a", "q3")].map {
            codebook.item($0.1, of: $0.0)?.words
        }
        #expect(found == ["a q1", "b q1", nil, "b q2", "b q2", nil])
    }

    @Test func anotherStudysFileIsRefused() {
        #expect(throws: (any Error).self) {
            try CodebookReader.read("OTHER", kept: "", given: [LabFixture.studyFile])
        }
    }

    @Test(arguments: [
        ("How do you <b>feel</b>?", "How do you feel?"), ("one<br>two", "one two"),
        ("a &amp; b &lt;c&gt;", "a & b <c>"),
        ("<p>first</p>\n<p>second</p>", "first second"), ("", ""), ("3 < 4", "3 < 4"),
    ]) func wordsHaveNoMarkup(text: String, expected: String) {
        #expect(PlainWords.of(.string(text)) == expected)
    }
}
