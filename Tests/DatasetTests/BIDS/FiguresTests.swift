// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit
import Testing

@testable import Base
@testable import Dataset

/// The programs that lie in a dataset, run by R and Jupyter as an analyst would.
@Suite(.timeLimit(.minutes(20))) struct FiguresTests {
    private static let hasJupyter = DatasetProgram.has("nbconvert, ipykernel, pandas, matplotlib")
    private static let names = ["compliance", "actogram", "enmo", "answers"]

    private func export(_ codes: [String]) throws -> (study: RecordedStudy, path: String) {
        let study = try RecordedStudy(codes)
        let path = study.folder("bids")
        _ = try BIDSExport(study, to: DatasetFolder(path)).run(bytes: 0)
        return (study, path)
    }

    /// Width and height of a PNG file (ISO 15948, 11.2.2); nil for another file.
    private func size(_ path: String) throws -> (width: Int, height: Int)? {
        let bytes = try File(path, .read).read(24, at: 0)
        guard bytes.count == 24, bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) else { return nil }
        func number(_ place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        return (number(16), number(20))
    }

    @Test(.enabled(if: DatasetProgram.hasR, "needs R"), arguments: [["P017"], (1...9).map { "P00\($0)" }])
    func theScriptInRDrawsItsFourFigures(_ codes: [String]) throws {
        let (study, path) = try export(codes)
        defer { withExtendedLifetime(study) {} }
        let output = try #require(DatasetProgram.run(["Rscript", "\(path)/code/figures.R", path]))
        #expect(!output.contains("Warning"), "\(output)")
        for name in Self.names {
            let size = try #require(try size("\(path)/derivatives/figures/\(name)-r.png"))
            #expect(size.width >= 800 && size.height >= 150, "\(name): \(size)")
        }
    }

    @Test(.enabled(if: hasJupyter, "needs Jupyter's nbconvert, pandas and matplotlib"))
    func theNotebookRunsAndDrawsItsFourFigures() throws {
        let (study, path) = try export(["P017", "P018"])
        defer { withExtendedLifetime(study) {} }
        let words = [
            "-m", "nbconvert", "--to", "notebook", "--execute", "--output-dir", study.path,
            "\(path)/code/figures.ipynb",
        ]
        #expect(DatasetProgram.run([DatasetProgram.python] + words) != nil)
        for name in Self.names {
            let size = try #require(try size("\(path)/derivatives/figures/\(name).png"))
            #expect(size.width >= 800 && size.height >= 150, "\(name): \(size)")
        }
    }
}

@Suite struct ReportingTableTests {
    /// The items are those of the checklist, in its order; what the data can say is there.
    @Test func theTableHasTheSixteenItemsAndTheDataFillIn() throws {
        let study = try RecordedStudy(["P017", "P018"])
        var table = ReportingTable()
        try study.forEachRecord { table.add($0) }
        let rows = table.text.split(separator: "\n").filter { $0.first == "|" }.dropFirst(2).map(String.init)
        #expect(rows.count == 16 && rows[0].hasPrefix("| 1 | Title") && rows[15].hasPrefix("| 16 | Conclusions"))
        #expect(rows[10] == "| 11 | Prompt delivery | planned 4, presented 2; not presented: device-off 2 |")
        #expect(
            rows[12]
                == "| 13 | Compliance rate | 2 of 4 prompts answered (50.0 %); of participants: median 50.0 (50.0 to 50.0) % |"
        )
        #expect(rows[11].contains("median 2 (2 to 2) s; to the end of answered ones: median 30 (30 to 30) s"))
    }

    /// Days, each of which has two prompts here: three are half of five, and two are not. Without any prompt there is
    /// nothing to have half of.
    @Test(
        arguments: [
            ([], 0, 0, 0), ([0, 0], 0, 0, 0), ([1, 0], 1, 1, 1), ([5, 3, 2], 5, 2, 1), ([4, 4, 2, 1], 4, 3, 2),
        ] as [([Int], Int, Int, Int)])
    func attritionIsInDaysWithPrompts(days: [Int], longest: Int, half: Int, whole: Int) throws {
        var table = ReportingTable()
        for (number, count) in days.enumerated() {
            var record = ParticipantRecord(Participant(id: "P\(number)", study: "s", enrolments: []))
            record.prompts = (0..<2 * count).map { prompt in
                let due = StudyTime(
                    Instant(seconds: 1_795_600_800 + Int64(prompt / 2) * 86_400 + Int64(prompt)), offset: 0)
                return StudyPrompt(
                    occurrence: "\(prompt)", enrolment: nil, task: "t", due: due, ended: due, outcome: "expired")
            }
            table.add(record)
        }
        #expect(
            table.text.contains(
                "| 10 | Attrition | \(days.count) enrolled; with prompts on at least half of the longest participation "
                    + "(\(longest) days): \(half); on all of its days: \(whole) |"), "\(table.text)")
    }
}
