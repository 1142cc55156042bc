// SPDX-License-Identifier: Apache-2.0
import Base
import FoundationEssentials
import SystemKit
import Testing

@testable import Dataset
@testable import Lab
@testable import StandIns

/// An answer is read by the words of the version that it was given to, and by no others.
struct StudyVersionsTests {
    /// Options in the order of their values: two of a `binary`, else the ends of a scale.
    private static func input(_ name: String, _ type: String, _ options: [String]) -> String {
        let sides = #""leftSideLabel":"\#(options[0])","rightSideLabel":"\#(options[1])""#
        return #"{"name":"\#(name)","responseType":"\#(type)","text":"\#(name)?",\#(sides)}"#
    }

    private static func study(_ version: Int, _ inputs: [String]) -> String {
        """
        {"id":7,"version":\(version),"subVersion":0,"title":"T","questionnaires":[{"internalId":71,"title":"Q",
         "pages":[{"inputs":[\(inputs.joined(separator: ","))]}]}]}
        """
    }

    private static let second = study(
        2, [input("alone", "binary", ["no", "yes"]), input("mood", "likert", ["bad", "good"])])
    /// Options swapped, a question removed.
    private static let seventh = study(7, [input("alone", "binary", ["yes", "no"])])

    /// A lab that has served the files one after the other, with a row of each version; nil = the app named none.
    private static func lab(serving files: [String], rows: [(version: String?, cells: [String: String])]) async throws
        -> LabFixture
    {
        let lab = try LabFixture()
        let path = lab.directory + "/study.json"
        for file in files {
            try AtomicFile.write(Array(file.utf8), to: path)
            KeptStudies.keep([path], in: lab.directory) { Issue.record("\($0)") }
        }
        let store = try ESMiraStore(.file(lab.directory + "/esmira.sqlite"))
        try await store.transaction { tables in
            for file in [second, seventh] { try tables.prepare(ESMiraServedStudy(JSONReader.value(file), path: path)) }
            try tables.save(ESMiraUser(name: "P1", number: 1, joined: 0), of: 7)
            for (place, row) in rows.enumerated() {
                var cells = row.cells
                cells["studyVersion"] = row.version
                cells["responseTime"] = String(1_795_245_120_000 + place * 1000)
                let columns = try tables.columns("71", of: 7) ?? []
                try tables.add(columns.map { cells[$0] ?? "" }, to: "71", of: 7, user: "P1")
            }
        }
        return lab
    }

    /// `version item=value label` of each answer.
    private static func labels(_ written: Written) throws -> [String] {
        try written.rows("answers-long").map { row in
            [row["study_version"], row["item"], row["value"], row["label"]].map { $0 ?? "" }.joined(separator: " ")
        }
    }

    private static func words(_ written: Written) -> [String] {
        written.outcome.issues.filter { $0.kind == .noCodebook }.map(\.text)
    }

    @Test func eachAnswerHasTheWordsOfItsVersion() async throws {
        let lab = try await Self.lab(
            serving: [Self.second, Self.seventh],
            rows: [("2.0", ["alone": "1", "mood": "5"]), ("7.0", ["alone": "1"])])
        let written = try Written(lab)
        #expect(try Self.labels(written) == ["2.0 alone 1 yes", "2.0 mood 5 good", "7.0 alone 1 no"])
        #expect(try written.rows("answers").map { $0["task_version"] } == ["2.0", "7.0"])
        let book = try written.rows("codebook").map { "\($0["item"] ?? "") \($0["versions"] ?? "")" }
        #expect(book == ["alone 7.0", "alone 2.0", "mood 2.0"])
        #expect(Self.words(written).isEmpty, "\(Self.words(written))")
    }

    /// An old data folder has the newest file alone. 7.1 is not 7.0, and no version is none.
    @Test(arguments: ["2.0", "7.1", nil] as [String?]) func anAnswerOfAnotherVersionHasNoLabel(
        version: String?
    ) async throws {
        let lab = try await Self.lab(
            serving: [Self.seventh], rows: [(version, ["alone": "1"]), ("7.0", ["alone": "0"])])
        let written = try Written(lab)
        #expect(try Self.labels(written) == ["\(version ?? "") alone 1 ", "7.0 alone 0 yes"])
        let said = version.map { "1 submission of 71 in version \($0) " } ?? "do not say"
        #expect(Self.words(written).map { $0.contains(said) } == [true])
    }

    /// The file that `--study-file` adds is of the version that the lab lacks.
    @Test func theFileOfAnOldVersionCanBeGiven() async throws {
        let lab = try await Self.lab(serving: [Self.seventh], rows: [("7.0", ["alone": "1"])])
        defer { withExtendedLifetime(lab) {} }
        try AtomicFile.write(Array(Self.second.utf8), to: lab.directory + "/old.json")
        let codebook = try LabFolder(lab.directory, study: "7", studyFiles: [lab.directory + "/old.json"]).codebook
        let index = CodebookIndex(codebook)
        let words = ["2.0", "7.0", "3.0"].map { index.item("alone", of: "71", in: $0)?.levels.map(\.words) }
        #expect(words == [["no", "yes"], ["yes", "no"], nil])
    }

    /// Changed without a new version: which of the two an answer is to is unknown. A file that is given decides.
    @Test func filesOfOneVersionThatDifferGiveNoLabel() async throws {
        let swapped = Self.study(2, [Self.input("alone", "binary", ["yes", "no"])])
        let lab = try await Self.lab(
            serving: [Self.second, swapped], rows: [("2.0", ["alone": "1", "mood": "1"])])
        let written = try Written(lab)
        #expect(try Self.labels(written) == ["2.0 alone 1 ", "2.0 mood 1 bad"])
        let book = try written.rows("codebook").map { "\($0["item"] ?? "") \($0["versions"] ?? "")" }
        #expect(book == ["alone 2.0~1", "alone 2.0~2", "mood 2.0"])
        let said = #"1 submission of 71 without a label of alone: 1 means "no" in 2.0~1, "yes" in 2.0~2; "#
        #expect(Self.words(written).map { $0.hasPrefix(said) } == [true], "\(Self.words(written))")
        try AtomicFile.write(Array(Self.second.utf8), to: lab.directory + "/right.json")
        defer { withExtendedLifetime(lab) {} }
        let given = try LabFolder(lab.directory, study: nil, studyFiles: [lab.directory + "/right.json"])
        let item = CodebookIndex(given.codebook).item("alone", of: "71", in: "2.0")
        #expect(item?.levels.map(\.words) == ["no", "yes"])
    }

    /// A study of schema that was edited while it ran: one end of the scale is called differently, the other is not. No
    /// post names its file.
    @Test func aValueThatMeansTheSameInEveryFileKeepsItsLabel() async throws {
        let lab = try LabFixture()
        let path = lab.directory + "/mood.json"
        for hints in [("calm", "tense"), ("calm", "restless")] {
            let question =
                #"{"id":"q","type":"slider","text":"?","min":0,"max":9,"hint_left":"\#(hints.0)","hint_right":"\#(hints.1)"}"#
            let text =
                #"{"properties":{"study_id":"S"},"modules":[{"uuid":"m","name":"M","sections":[{"questions":[\#(question)]}]}]}"#
            try AtomicFile.write(Array(text.utf8), to: path)
            KeptStudies.keep([path], in: lab.directory) { Issue.record("\($0)") }
        }
        for (place, value) in [0, 5, 9].enumerated() {
            try await lab.post(
                study: "S", module: 0, responses: #"{"q":\#(value)}"#, answered: "2026-11-25T09:0\(place):10+01:00")
        }
        let written = try Written(lab)
        let labels = try written.rows("answers-long").map { "\($0["value"] ?? "")=\($0["label"] ?? "")" }
        #expect(labels == ["0=calm", "5=", "9="])
        let said = #"1 submission of m without a label of q: 9 means "restless" in ~1, "tense" in ~2; "#
        #expect(Self.words(written).map { $0.hasPrefix(said) } == [true], "\(Self.words(written))")
    }

    /// By Table Schema a part of a primary key is never missing.
    @Test(arguments: [("7", true), (LabFixture.study, false)]) func versionsAreAKeyWhereEveryQuestionHasOne(
        study: String, isKeyed: Bool
    ) async throws {
        let lab = try await Self.lab(serving: [Self.second], rows: study == "7" ? [("2.0", ["alone": "1"])] : [])
        defer { withExtendedLifetime(lab) {} }
        if study != "7" { try await lab.post() }
        let folder = try DatasetFolder(lab.output())
        _ = try DatasetExport(try LabFolder(lab.directory, study: study), to: folder, isPackage: true).run(bytes: 0)
        let json = try #require(JSONText(parsing: try BoundedFile.text(lab.output() + "/datapackage.json")))
        let keys = (json["resources"]?.array ?? []).reduce(into: [String: JSONText]()) {
            $0[$1["name"]?.plain ?? ""] = $1["schema"]?["primaryKey"]
        }
        #expect(keys["codebook"]?.text == (isKeyed ? #"["task","item","versions"]"# : nil))
        #expect(keys["answers"]?.text == #"["participant","submission"]"#)
    }

    /// https://datapackage.org/standard/data-package/#name
    @Test(
        arguments: [
            ("Ü 1", "studyd--c3-9c-201"), ("=STUDY1", "studyd--3dstudy1"), ("a.b_c-D", "studyd-a.b_c-d"),
            (String(repeating: "x", count: 200), nil),
        ] as [(String, String?)])
    func aPackagesNameHasTheSignsThatOneMayHave(study: String, name: String?) async throws {
        let lab = try LabFixture()
        try await lab.post(study: study)
        let folder = try DatasetFolder(lab.output())
        _ = try DatasetExport(try LabFolder(lab.directory, study: study), to: folder, isPackage: true).run(bytes: 0)
        let json = try #require(JSONText(parsing: try BoundedFile.text(lab.output() + "/datapackage.json")))
        let said = json["name"]?.plain ?? ""
        #expect(!said.isEmpty && said.utf8.allSatisfy { "-abcdefghijklmnopqrstuvwxyz0123456789._/".utf8.contains($0) })
        if let name { #expect(said == name) }
    }

    private static func keys(_ json: JSONText?) -> [String] {
        if case .object(let members)? = json { members.map(\.key) } else { [] }
    }

    /// A type that changed is another wording. In BIDS the column says so, version by version.
    @Test func aQuestionOfSeveralWordingsIsDescribedByVersion() async throws {
        let third = Self.study(3, [Self.input("mood", "va_scale", ["bad", "good"])])
        let lab = try await Self.lab(serving: [Self.second, third], rows: [("2.0", ["mood": "1"])])
        defer { withExtendedLifetime(lab) {} }
        let questions = try BIDSQuestions(of: try LabFolder(lab.directory, study: nil), reserved: [])
        let mood = try #require(questions.json.first { $0.key == "mood" }?.value)
        #expect(mood["Levels"] == nil && Self.keys(mood["Versions"]) == ["3.0", "2.0"])
        #expect(mood["Versions"]?["2.0"]?["QuestionType"] == .string("likert"))
        #expect(questions.columns.count { $0 == "mood" } == 1)
    }

    /// A level is what it says only where every answer is to these words.
    @Test(arguments: [("2.0", false), ("9.0", true)]) func aColumnWithAnswersOfAnUnknownVersionSaysOfWhichItSpeaks(
        version: String, isByVersion: Bool
    ) async throws {
        let lab = try await Self.lab(serving: [Self.second], rows: [(version, ["alone": "1"])])
        defer { withExtendedLifetime(lab) {} }
        let questions = try BIDSQuestions(of: try LabFolder(lab.directory, study: nil), reserved: [])
        let alone = try #require(questions.json.first { $0.key == "alone" }?.value)
        #expect((alone["Versions"] != nil) == isByVersion && (alone["Levels"] == nil) == isByVersion)
    }

    /// Of FDA MyStudies the activity's version counts; the study's stands beside it.
    @Test(arguments: [("1.0", "yes"), ("1.1", "no"), ("1.2", "")]) func aRunIsReadByItsActivitysVersion(
        version: String, label: String
    ) async throws {
        let lab = try LabFixture()
        let path = lab.directory + "/diary"
        try File.makeFolder(path)
        for (version, words) in [("1.0", ["yes", "no"]), ("1.1", ["no", "yes"])] {
            let choices = zip(["a", "b"], words).map { #"{"value":"\#($0)","text":"\#($1)"}"# }.joined(separator: ",")
            let text = """
                {"activity":{"metadata":{"studyId":"S","activityId":"Diary","version":"\(version)"},"steps":[
                 {"type":"question","resultType":"textChoice","key":"q","format":{"textChoices":[\(choices)]}}]}}
                """
            try AtomicFile.write(Array(text.utf8), to: "\(path)/Diary_\(version).json")
        }
        KeptStudies.keep([path], in: lab.directory) { Issue.record("\($0)") }
        let store = try MyStudiesStore(.file(lab.directory + "/mystudies.sqlite"))
        _ = try await store.enroll("key-1", study: "S", token: nil, sharing: "NA", at: LabFixture.now)
        let participant = try #require(try await store.participant("key-1"))
        let body = """
            {"metadata":{"studyVersion":"3.4"},"data":{"endTime":"2026-11-25T09:01:00.000+0100",
             "results":[{"resultType":"textChoice","key":"q","skipped":false,"value":"a"}]}}
            """
        _ = try await store.keep(
            run: Array(body.utf8), of: participant.id, activity: "Diary", version: version, at: LabFixture.now)
        let written = try Written(lab)
        let row = try #require(try written.rows("answers-long").first)
        #expect(row["study_version"] == "3.4" && row["task_version"] == version && row["label"] == label)
        #expect(Self.words(written).count == (label.isEmpty ? 1 : 0))
    }
}
