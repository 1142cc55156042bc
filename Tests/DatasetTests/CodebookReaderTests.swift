// SPDX-License-Identifier: Apache-2.0
import Base
import FoundationEssentials
import SystemKit
import Testing

@testable import Dataset

/// The words of studies, from files as each platform's editor saves them.
struct CodebookReaderTests {
    private static let studies = LabFixture.root + "/studies/"

    /// As of the files that a device has kept.
    private static func codebook(_ study: String, _ files: [[UInt8]]) throws -> Codebook {
        let kept = files.enumerated().map { (digest: "\($0.offset)", bytes: $0.element) }
        return try CodebookReader.read(study, files: kept, given: []).codebook
    }

    @Test(arguments: [
        ("STUDYD1", "sleep-and-movement.json", "morning", "rested", "slider", ["0=not at all", "10=fully"]),
        ("STUDYD1", "sleep-and-movement.json", "moment", "company", "yesno", ["Yes=Yes", "No=No"]),
        ("2601", "esmira.json", "26011", "mood", "likert", ["1=very bad", "7=very good"]),
        ("2601", "esmira.json", "26011", "stress", "va_scale", ["0=not at all", "100=very"]),
        (
            "2601", "esmira.json", "26011", "place", "list_single",
            ["at home=at home", "at work=at work", "on the way=on the way", "other=other"]
        ),
        ("2601", "esmira.json", "26011", "symptoms~2", "list_multiple", ["0=no", "1=yes"]),
        ("EXAMPLE", "mystudies", "Diary", "mood", "scale", ["0=Not well at all", "10=Very well"]),
        ("EXAMPLE", "mystudies", "Welcome", "first", "boolean", ["true=yes", "false=no"]),
        (
            "MOTOR-EXAMPLE", "sage", "tapping", "handSelection", "handSelection",
            ["left=left hand", "right=right hand", "both=both hands"]
        ),
        ("MOTOR-EXAMPLE", "sage", "tapping", "left_tapping", "tapping", []),
    ]) func aQuestionHasItsWordsAndLevels(
        study: String, file: String, task: String, name: String, type: String, levels: [String]
    ) throws {
        let codebook = try CodebookReader.read(study, kept: "", given: [Self.studies + file]).codebook
        let item = try #require(codebook.items.first { $0.task == task && $0.item == name })
        #expect(item.type == type && !item.words.isEmpty)
        #expect(item.levels.map { "\($0.value)=\($0.words)" } == levels)
    }

    /// What the app saves (`VaScaleView.kt` and `ListSingleView.kt` of ESMira-apps 1e4bc34 and 0d5e6ae;
    /// a likert by `Input.customStart`, as the device sends it too).
    @Test(arguments: [
        (#""responseType":"likert""#, ["1=bad", "5=good"]),
        (#""responseType":"likert","useCustomStart":true,"customStart":-2"#, ["-2=bad", "2=good"]),
        (#""responseType":"likert","useCustomStart":false,"customStart":-2,"likertSteps":7"#, ["1=bad", "7=good"]),
        (#""responseType":"va_scale","maxValue":1"#, ["0=bad", "100=good"]),
        (#""responseType":"va_scale","maxValue":2"#, ["0=bad", "2=good"]),
        (#""responseType":"va_scale","maxValue":2.5"#, ["0=bad", "3=good"]),
        (#""responseType":"va_scale","maxValue":10,"useCustomStart":true,"customStart":1"#, ["1=bad", "10=good"]),
        (
            #""responseType":"list_single","listChoices":["<b>home</b>","bus"],"useCustomStart":true,"customStart":3"#,
            ["<b>home</b>=home", "bus=bus"]
        ),
        (
            #""responseType":"list_single","listChoices":["home","bus"],"forceInt":true,"other":true"#,
            ["1=home", "2=bus", "3=other"]
        ),
        (
            #""responseType":"list_single","listChoices":["home","bus"],"forceInt":true,"useCustomStart":true"#,
            ["0=home", "1=bus"]
        ),
    ]) func levelsOfESMiraAreWhatTheAppSends(input: String, levels: [String]) throws {
        let text = #"""
            {"id":7,"questionnaires":[{"internalId":71,"title":"EMA","pages":[{"inputs":[
            {"name":"q","text":"?","leftSideLabel":"bad","rightSideLabel":"good",\#(input)}]}]}]}
            """#
        let item = try #require(try Self.codebook("7", [Array(text.utf8)]).items.first)
        #expect(item.levels.map { "\($0.value)=\($0.words)" } == levels)
        let ends = item.type == "list_single" ? [] : [item.levels.first?.value, item.levels.last?.value]
        #expect([item.least, item.most].compactMap { $0.map { "\(Int($0))" } } == ends)
    }

    /// A device that enrolled with a folder has kept a `StudyBundle`.
    @Test func aStudyOfSeveralFilesIsReadAsADeviceKeepsIt() throws {
        let folder = Self.studies + "mystudies"
        let files = try FolderListing.readable(folder).filter { $0.hasSuffix(".json") }.map { name in
            let text = String(decoding: try BoundedFile.read("\(folder)/\(name)"), as: UTF8.self)
            return JSONText.Member(name, .string(text))
        }
        let bundle = JSONText.object([.init("studyd-bundle", .object(files)), .init("options", .object([]))])
        let kept = try Self.codebook("EXAMPLE", [Array(bundle.text.utf8)])
        let given = try CodebookReader.read("EXAMPLE", kept: "", given: [folder]).codebook
        #expect(Set(kept.items) == Set(given.items) && kept.items.count > 9)
        #expect(try Self.codebook("OTHER", [Array(bundle.text.utf8)]).items.isEmpty)
    }

    /// As `SageResult` and a device's own folder call them.
    @Test func questionsOfSageResearchAreCalledByTheirPaths() throws {
        let steps = #"""
            {"type":"section","identifier":"s","steps":[{"type":"choiceQuestion","identifier":"q","title":"Which?","optional":false,"choices":[{"value":1,"text":"one"},{"value":1,"text":"more"},{"text":"none"}]}]},
            {"type":"transform","identifier":"left","resourceTransformer":{"resourceName":"hand.json"}},
            {"type":"simpleQuestion","identifier":"b","title":"Well?","inputItem":{"type":"boolean"}},
            {"type":"simpleQuestion","identifier":"n","title":"How","inputItem":{"type":"integer","fieldLabel":"much?","formatOptions":{"minimumValue":0,"maximumValue":10,"minimumLabel":"no","maximumLabel":"very"}}},
            {"type":"form","identifier":"f","title":"You.","inputFields":[{"identifier":"a","type":"singleChoice","prompt":"A?","choices":["x"]},{"identifier":"c","type":"date"}]},
            {"type":"form","identifier":"g","title":"One","inputFields":[{"identifier":"g","type":"string"}]},
            {"type":"multipleInputQuestion","identifier":"m","title":"M","inputItems":[{"type":"integer","identifier":"i"}]},
            {"type":"instruction","identifier":"z","title":"Hello"},
            """#
        let files = [
            "study.json": #"{"platform":"sage","identifier":"S","name":"N","task":[{"file":"t"}]}"#,
            "t.json": #"{"type":"assessment","identifier":"T","title":"Task","steps":[\#(steps)]}"#,
            "hand.json":
                #"{"type":"section","identifier":"h","steps":[{"type":"tapping","identifier":"tap","title":"Tap, %@ hand"}]}"#,
        ]
        let members = files.map { JSONText.Member($0.key, .string($0.value)) }
        let bundle = Array(JSONText.object([.init("studyd-bundle", .object(members))]).text.utf8)
        let codebook = try Self.codebook("S", [bundle])
        let read = codebook.items.map { item in
            ([item.item, item.type, item.words] + item.levels.map { "\($0.value)=\($0.words)" }).joined(separator: "|")
        }
        #expect(
            read == [
                "s_q|choiceQuestion|Which?|1=one|1/again/2=more|none=none", "left_tap|tapping|Tap, left hand",
                "b|boolean|Well?|true=yes|false=no", "n|integer|How much?|0=no|10=very",
                "f_a|singleChoice|You. A?|x=x", "f_c|date|You.", "g|string|One", "m|multipleInputQuestion|M",
                "m_i|integer|M",
            ])
        #expect(codebook.title == "N" && codebook.items.allSatisfy { $0.task == "T" && $0.taskName == "Task" })
        #expect(codebook.items.map(\.isRequired) == [true] + Array(repeating: false, count: 8))
        #expect(try Self.codebook("T", [bundle]).items.isEmpty)
    }

    /// Files that name each other, and a single task, whose study is called like it.
    @Test func aStudyOfOneTaskOfSageResearchIsCalledByIt() throws {
        let step = #"{"type":"transform","identifier":"a","resourceTransformer":{"resourceName":"h"}}"#
        let single = Array(#"{"identifier":"T","steps":[{"type":"tapping","identifier":"tap"},\#(step)]}"#.utf8)
        #expect(try Self.codebook("T", [single]).items.map(\.item) == ["tap"])
        let circle = JSONText.object([
            .init("t.json", .string(String(decoding: single, as: UTF8.self))),
            .init("h.json", .string(#"{"type":"section","identifier":"h","steps":[\#(step),\#(step)]}"#)),
        ])
        let bundle = Array(JSONText.object([.init("studyd-bundle", circle)]).text.utf8)
        #expect(try Self.codebook("T", [bundle]).items.map(\.item) == ["tap"])
    }

    @Test func tasksOfSageResearchThatNameEachOtherAreAllRead() throws {
        let files = [("t", "u"), ("u", "t")].map { name, other in
            let steps = #"[{"type":"tapping","identifier":"tap"}]"#
            let text = #"{"identifier":"\#(name)","icon":{"resourceName":"\#(other)"},"steps":\#(steps)}"#
            return JSONText.Member("\(name).json", .string(text))
        }
        let bundle = Array(JSONText.object([.init("studyd-bundle", .object(files))]).text.utf8)
        let codebook = try Self.codebook("t", [bundle])
        #expect(codebook.items.map { "\($0.task) \($0.item)" } == ["t tap", "u tap"])
    }

    @Test func tasksThatAreSentByTheirPlaceHaveNames() throws {
        let codebook = try CodebookReader.read("STUDYD1", kept: "", given: [LabFixture.studyFile]).codebook
        #expect(codebook.tasksByPlace[2] == "moment" && codebook.title == "Sleep and movement")
    }

    /// Each is what the first file says that has it. Where files ask one question in two wordings, neither is known to
    /// be meant.
    @Test func severalFilesOfOneStudyAddUp() throws {
        func file(_ properties: String, _ questions: String) -> [UInt8] {
            let modules = #"[{"uuid":"m","name":"M","sections":[{"questions":[\#(questions)]}]}]"#
            return Array(#"{"properties":{"study_id":"S"\#(properties)},"modules":\#(modules)}"#.utf8)
        }
        let files = [
            file(#","study_name":"One""#, #"{"id":"a","type":"text","text":"first"}"#),
            file(
                #","study_name":"Two","instructions":"Wear it.","ethics":"Approved.""#,
                #"{"id":"a","type":"text","text":"second"},{"id":"b","type":"text","text":"new"}"#),
            file(#","instructions":"Take it off.","ethics":"Pending.""#, ""),
        ]
        let codebook = try Self.codebook("S", files)
        #expect(codebook.title == "One")
        #expect(codebook.instructions == "Wear it." && codebook.ethics == "Approved.")
        #expect(codebook.items.map { "\($0.item) \($0.words)" } == ["a first", "a second", "b new"])
        #expect(codebook.items.map(\.versions) == [["~1"], ["~2"], []])
        let index = CodebookIndex(codebook)
        let asked = ["a", "b"].map { name in [nil, "~1", "~2"].map { index.item(name, of: "m", in: $0)?.words } }
        #expect(asked == [[nil, "first", "second"], ["new", "new", "new"]])
    }

    /// A question in two files without versions; levels are `value=words`. A choice has no values beside its levels.
    @Test(
        arguments: [
            (["a=yes", "b=no"], ["a=yes", "b=no"], false, "a", .level("yes")),
            (["a=yes", "b=no"], ["b=no", "a=yes"], false, "a", .level("yes")),
            (["a=yes", "b=no"], ["a=yes", "b=never"], false, "a", .level("yes")),
            (["a=yes", "b=no"], ["a=yes", "b=never"], false, "b", .disputed([#""no" in ~1"#, #""never" in ~2"#])),
            (["a=yes", "b=no"], ["a=yes"], false, "b", .level("no")),
            (["a=yes", "b=no"], ["a=yes"], true, "b", .disputed([#""no" in ~1"#, "nothing in ~2"])),
            (["a=yes"], [], false, "a", .disputed([#""yes" in ~1"#, "nothing in ~2"])),
            (["a=a"], [], false, "a", .plain), (["a=yes"], ["a=no"], false, "c", .plain),
        ] as [([String], [String], Bool, String, CodebookIndex.Meaning)])
    func aValueMeansWhatAllFilesSayThatAllowIt(
        first: [String], second: [String], isScale: Bool, value: String, meaning: CodebookIndex.Meaning
    ) {
        let files = [first, second].enumerated().map { number, levels in
            var item = Codebook.Item(task: "m", taskName: "", item: "q", type: "", words: "file \(number)")
            item.levels = levels.map { Codebook.Item.Level(String($0.prefix(1)), String($0.dropFirst(2))) }
            if isScale { (item.least, item.most) = (0, 9) }
            var file = Codebook()
            file.items = [item]
            return file
        }
        let index = CodebookIndex(Codebook(joining: Codebook.numbered(files)))
        #expect(index.meaning(of: value, to: "q", of: "m", in: nil) == meaning)
    }

    /// Copies of one text, and a task that a file leaves as it was, count once.
    @Test func filesAreNumberedByVersionAndTask() {
        func file(_ version: String?, _ words: String, _ others: String = "?") -> Codebook {
            var file = Codebook()
            file.items = [("m", words), ("n", others)].map { task, words in
                var item = Codebook.Item(task: task, taskName: "", item: "q", type: "", words: words)
                item.versions = version.map { [$0] } ?? []
                return item
            }
            return file
        }
        func numbers(_ files: [Codebook]) -> [[String]] {
            Codebook.numbered(files).map { $0.items.flatMap(\.versions) }
        }
        #expect(
            numbers([file(nil, "a"), file(nil, "b"), file(nil, "a"), file(nil, "b", "!")])
                == [["~1", "~1"], ["~2", "~1"], ["~1", "~1"], ["~2", "~2"]])
        let versioned = [file("2.0", "a"), file("3.0", "b"), file("2.0", "b")]
        #expect(numbers(versioned) == [["2.0~1", "2.0~1"], ["3.0~1", "3.0~1"], ["2.0~2", "2.0~1"]])
        let joined = Codebook(joining: Codebook.numbered(versioned)).items
        #expect(
            joined.map { "\($0.task) \($0.words) \($0.versions.joined(separator: " "))" }
                == ["m a 2.0~1", "n ? 2.0 3.0", "m b 3.0 2.0~2"])
    }

    @Test func aQuestionOfAnUnknownTaskHasWordsWhereOnlyOneIsCalledThat() {
        var codebook = Codebook()
        codebook.items = [("a", "q1"), ("b", "q1"), ("b", "q2")].map { task, item in
            .init(task: task, taskName: task, item: item, type: "text", words: "\(task) \(item)")
        }
        let found = [("a", "q1"), ("b", "q1"), ("c", "q1"), ("c", "q2"), ("a", "q2"), ("a", "q3")].map {
            CodebookIndex(codebook).item($0.1, of: $0.0, in: nil)?.words
        }
        #expect(found == ["a q1", "b q1", nil, "b q2", nil, nil])
        let other = CodebookIndex(codebook).item("q2", of: "c", in: "1.0")
        #expect(other == nil, "a version that is known says which words are meant")
    }

    private static func places(_ modules: [String]) -> [UInt8] {
        let list = modules.map { #"{"uuid":"\#($0)","sections":[]}"# }.joined(separator: ",")
        return Array(#"{"properties":{"study_id":"S"},"modules":[\#(list)]}"#.utf8)
    }

    @Test func aPlaceThatFilesCallDifferentlyHasNoName() throws {
        let files = [["a", "b"], ["a", "c"], ["a", "b"]].map(Self.places)
        #expect(try Self.codebook("S", files).tasksByPlace == [0: "a"])
    }

    /// As a server gives it out, and as a device posts it that was given the file itself.
    @Test(arguments: [
        (#""version":2,"subVersion":3,"#, ["2.3"]), (#""version":2,"#, ["2.0", "2.-1"]), ("", ["1.0", "-1.-1"]),
        (#""version":0,"subVersion":4,"#, ["1.0", "0.4"]),
    ]) func aFileOfESMiraIsOfTheVersionThatAnswersName(head: String, versions: [String]) throws {
        let text = #"{"id":7,\#(head)"questionnaires":[{"internalId":71,"pages":[{"inputs":[{"name":"q"}]}]}]}"#
        #expect(try Self.codebook("7", [Array(text.utf8)]).items.map(\.versions) == [versions])
    }

    /// What the receiver keeps, what is given, and neither. Of what is kept a folder in the place of a file cannot be
    /// read, and is named; it keeps no other back.
    @Test(arguments: [
        (true, false, false), (true, true, false), (false, true, false), (false, false, true), (false, true, true),
        (true, false, true), (false, false, false),
    ])
    func aLabWithoutTheStudysWordsSaysSo(isKept: Bool, isBroken: Bool, isGiven: Bool) async throws {
        let lab = try LabFixture()
        try await lab.post()
        let kept = lab.directory + "/studies"
        if !isKept { try FileManager.default.removeItem(atPath: kept) }
        if isBroken { try File.makeFolder(kept + "/a.json") }
        let folder = try LabFolder(lab.directory, study: nil, studyFiles: isGiven ? [LabFixture.studyFile] : [])
        #expect(folder.codebook.items.isEmpty == !(isKept || isGiven))
        var expected: [DatasetIssue.Kind] = []
        if isBroken, !isGiven { expected.append(.unreadable) }
        if !isKept, !isGiven { expected.append(.noCodebook) }
        #expect(folder.issues.map(\.kind) == expected, "\(folder.issues)")
        #expect(folder.issues.allSatisfy { $0.kind != .unreadable || $0.text.contains("/studies/a.json") })
    }

    /// A text of the study found no room: what is asked at which place is unknown, unless a file that is given says so.
    @Test(arguments: [("mood.json", false, true), ("other.json", false, false), ("mood.json", true, false)])
    func aStudyOfWhichATextWasNotKeptSaysSo(name: String, isGiven: Bool, isMissing: Bool) throws {
        let lab = try LabFixture()
        defer { withExtendedLifetime(lab) {} }
        let kept = lab.output("kept")
        try File.makeFolder("\(kept)/\(name).versions")
        try AtomicFile.write([], to: "\(kept)/\(name).versions/\(CodebookReader.gapNote)")
        let modules = #"[{"uuid":"m","sections":[{"questions":[{"id":"q","type":"text"}]}]}]"#
        let study = Array(#"{"properties":{"study_id":"S"},"modules":\#(modules)}"#.utf8)
        for path in [kept + "/mood.json", lab.output("given.json")] { try AtomicFile.write(study, to: path) }
        let (codebook, issues) = try CodebookReader.read(
            "S", kept: kept, given: isGiven ? [lab.output("given.json")] : [])
        #expect(
            issues.map { $0.kind == .noCodebook && $0.text.contains("/mood.json.versions/NOT-ALL-KEPT") }
                == (isMissing ? [true] : []))
        #expect(codebook.items.count == 1 && codebook.tasksByPlace == (isMissing ? [:] : [0: "m"]))
    }

    /// A version that was handed out and is not among the given ones may have lost texts; the given ones have not.
    @Test(arguments: [([2], 1), ([2, 3], 0)] as [([Int], Int)])
    func givenVersionsAnswerForThemselves(given: [Int], issues count: Int) throws {
        let lab = try LabFixture()
        defer { withExtendedLifetime(lab) {} }
        let kept = lab.output("kept")
        try File.makeFolder("\(kept)/a.json.versions")
        try AtomicFile.write([], to: "\(kept)/a.json.versions/\(CodebookReader.gapNote)")
        func write(_ version: Int, _ path: String) throws {
            let pages = #"[{"internalId":71,"pages":[{"inputs":[{"name":"q"}]}]}]"#
            let text = #"{"id":7,"version":\#(version),"subVersion":0,"questionnaires":\#(pages)}"#
            try AtomicFile.write(Array(text.utf8), to: path)
        }
        try write(3, kept + "/a.json")
        let files = given.map { lab.output("given-\($0).json") }
        for (version, file) in zip(given, files) { try write(version, file) }
        let issues = try CodebookReader.read("7", kept: kept, given: files).issues
        #expect(issues.map(\.kind) == Array(repeating: .noCodebook, count: count), "\(issues)")
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
