// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import SystemKit
import Testing

@testable import Dataset
@testable import Lab

/// PyPI's frictionless and pandas, which know nothing of this program; `STUDYD_DATASET_PYTHON` names
/// a Python that has them.
struct JudgeTests {
    static let python = getenv("STUDYD_DATASET_PYTHON").map { String(cString: $0) } ?? "python3"

    static let isThere: Bool = {
        let isThere = (try? run(["-c", "import frictionless, pandas"], in: "/"))?.code == 0
        if !isThere {
            print(
                "SKIPPED: the Python modules frictionless and pandas; STUDYD_DATASET_PYTHON may name a Python that has them"
            )
        }
        return isThere
    }()

    @Test func frictionlessCallsThePackageValid() async throws {
        guard Self.isThere else { return }
        let written = try Written(try await LabFixture.filled())
        let verdict = try Self.run(["-m", "frictionless", "validate", "datapackage.json", "--json"], in: written.path)
        #expect(verdict.code == 0, "\(verdict.text)")
        #expect(verdict.text.contains("\"valid\": true") && !verdict.text.contains("\"valid\": false"))
        // It looks at what the package says: a byte more is another file.
        let table = written.path + "/prompts.csv"
        let text = try String(contentsOfFile: table, encoding: .utf8)
        try Data((text + "P3\n").utf8).write(to: URL(fileURLWithPath: table))
        let changed = try Self.run(["-m", "frictionless", "validate", "datapackage.json", "--json"], in: written.path)
        #expect(changed.code == 1 && changed.text.contains("prompts"))
    }

    /// The lines of docs/dataset.md, and what they have to say of the fixture.
    @Test(arguments: [
        ("# 1 ", ["2026-11-25 09:00:00", "2026-11-25 09:01:10.123", "0.25", "Good morning"]),
        ("# 2 ", ["2026-11-25", "0.25", "1.0"]), ("# 6 ", ["device-off", "locked", "expired", "NaN"]),
        ("# 7 ", ["000002-magnetometer.csv", "2026-11-25", "delivered"]),
    ]) func theQuestionsAreAnswered(question: String, words: [String]) async throws {
        guard Self.isThere else { return }
        let block = try #require(try Self.blocks().first { $0.hasPrefix(question) }, "docs/dataset.md lost \(question)")
        let lines = block.split(separator: "\n").filter { !$0.hasPrefix("#") && !$0.hasPrefix("import ") }
        #expect(lines.count <= 3, "no question takes more than three lines")
        let written = try Written(try await LabFixture.filled())
        let wide = "import pandas; pandas.set_option('display.width', 1000, 'display.max_columns', 99)\n"
        let answer = try Self.run(["-c", wide + block], in: written.path)
        #expect(answer.code == 0)
        for word in words { #expect(answer.text.contains(word), "\(question): \(answer.text)") }
    }

    /// The same by R, which reads the files in its own way.
    @Test(arguments: [
        ("# 1 ", ["Good morning", "2026-11-25 09:01:10", "0.25"]), ("# 2 ", ["2026-11-25", "0.25", "1.00"]),
        ("# 6 ", ["missed device-off", "missed locked", "expired NA"]),
        ("# 7 ", ["000002-magnetometer.csv", "delivered"]),
    ]) func rAnswersTheSame(question: String, words: [String]) async throws {
        guard try Self.run("command -v Rscript", in: "/").code == 0 else {
            return print("SKIPPED: Rscript is not installed")
        }
        let block = try #require(try Self.blocks("r").first { $0.hasPrefix(question) })
        let lines = block.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines.count <= 3)
        let written = try Written(try await LabFixture.filled())
        let answer = try Self.run("Rscript -e \(Self.quoted("options(width = 500)\n" + block))", in: written.path)
        for word in words { #expect(answer.text.contains(word), "\(question): \(answer.text)") }
    }

    @Test func everyBlockOfThePageIsPython() throws {
        guard Self.isThere else { return }
        for block in try Self.blocks() {
            let verdict = try Self.run(["-c", "import sys, ast; ast.parse(sys.argv[1])", block], in: "/")
            #expect(verdict.code == 0, "\(verdict.text)")
        }
    }

    /// What the programs in `code` read, by Jupyter's and R's language.
    private static let readers = [
        "python": """
        import json
        cells = ["".join(c["source"]) for c in json.load(open("code/figures.ipynb"))["cells"] if c["cell_type"] == "code"]
        exec("\\n".join(l for l in cells[0].splitlines() if "plt" not in l and "matplotlib" not in l))
        exec(cells[1])
        print(*sorted(set(answers.item)), *[q + "=" + str(words[q]["Description"]) for q in sorted(words)])
        """,
        "r": """
        lines <- readLines("code/figures.R")
        eval(parse(text = lines[seq_len(grep("^# ---- What is drawn", lines) - 1)]))
        cat(sort(unique(package_answers()$question)), "\\n")
        """,
    ]

    /// One question's name in two tasks is two questions, each with its words; one that files ask differently has none.
    @Test(arguments: [("python", " a.q=now? b.q=then? own=yours?"), ("r", " ")])
    func aFigureIsOfOneTasksQuestion(language: String, words: String) async throws {
        let isR = language == "r"
        guard isR ? DatasetProgram.hasR : Self.isThere else { return }
        let lab = try LabFixture()
        func question(_ id: String, _ text: String) -> String { #"{"id":"\#(id)","type":"slider","text":"\#(text)"}"# }
        for edition in ["one", "two"] {
            let modules = [
                ("a", [question("q", "now?"), question("own", "yours?"), question("odd", edition)]),
                ("b", [question("q", "then?")]),
            ].map { task, questions in
                #"{"uuid":"\#(task)","sections":[{"questions":[\#(questions.joined(separator: ","))]}]}"#
            }.joined(separator: ",")
            let text = #"{"properties":{"study_id":"S"},"modules":[\#(modules)]}"#
            try AtomicFile.write(Array(text.utf8), to: lab.directory + "/mood.json")
            KeptStudies.keep([lab.directory + "/mood.json"], in: lab.directory) { Issue.record("\($0)") }
        }
        try await lab.post(study: "S", module: 0, responses: #"{"q":1,"own":2,"odd":3}"#)
        try await lab.post(study: "S", module: 1, responses: #"{"q":4}"#, answered: "2026-11-25T09:02:10+01:00")
        let written = try Written(lab)
        let script = try #require(Self.readers[language])
        let command = "\(isR ? "Rscript -e" : "\(Self.python) -c") \(Self.quoted(script))"
        let answer = try Self.run(command, in: written.path)
        #expect(answer.text == "a.q b.q odd own\(words)\n", "\(answer.text)")
    }

    private static func blocks(_ language: String = "python") throws -> [String] {
        let page = try String(contentsOfFile: LabFixture.root + "/docs/dataset.md", encoding: .utf8)
        return page.split(separator: "```\(language)\n").dropFirst().map { String($0.prefix(while: { $0 != "`" })) }
    }

    private static func run(_ arguments: [String], in folder: String) throws -> (code: Int32, text: String) {
        try run(([python] + arguments).map(quoted).joined(separator: " "), in: folder)
    }

    private static func quoted(_ word: String) -> String { "'" + word.replacing("'", with: "'\\''") + "'" }

    private static func run(_ command: String, in folder: String) throws -> (code: Int32, text: String) {
        guard let pipe = popen("cd '\(folder)' && \(command) 2>&1", "r") else { throw FileError.last(command) }
        var (text, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 { text += buffer[..<count] }
        let status = pclose(pipe)
        return (status >> 8, String(decoding: text, as: UTF8.self))
    }
}
