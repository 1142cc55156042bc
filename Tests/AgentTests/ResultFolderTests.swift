// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Agent
@testable import Study

@Suite struct ResultFolderTests {
    private func entry(_ task: String, _ run: Int, _ tree: JSONText = .object([])) -> ResultEntry {
        .init(enrolment: "e/1", task: task, run: run, tree: tree)
    }

    @Test func aResultIsAFileOfItsEnrolmentAndGoesWithIt() throws {
        let fixture = try SoundFixture()
        let folder = ResultFolder(fixture.path + "/results")
        #expect(folder.results(of: "e/1").isEmpty)
        try folder.keep(entry("tower", 1))
        try folder.keep(entry("tower", 2))
        try folder.keep(entry("tower", 1, .object([.init("again", .boolean(true))])))
        let paths = folder.results(of: "e/1")
        #expect(
            paths.map { $0.dropFirst(fixture.path.count) } == [
                "/results/e=2f1/tower-1.json", "/results/e=2f1/tower-2.json",
            ])
        #expect(try BoundedFile.text(paths[0]) == "{\"again\":true}\n")
        #expect(folder.results(of: "e/2").isEmpty)
        folder.remove(of: "e/1")
        #expect(folder.results(of: "e/1").isEmpty)
    }

    /// Another version of a study may number the runs of a task again.
    @Test func runsOfOneNumberInTwoNumberingsAreTwoFiles() {
        let second = ResultEntry(enrolment: "e/1", task: "Q", run: 4, tree: .object([]), numbering: 2)
        #expect(second.name == "Q=v2-4.json" && entry("Q", 4).name == "Q-4.json")
        #expect(entry("Q=v2", 4).name != second.name && entry("Q-v2", 4).name != second.name)
    }

    @Test(arguments: [("a b", "a_b"), ("..", "=2e."), ("a/b", "a=2fb"), ("ä", "a")])
    func namesOfTasksAreFileNamesAndNoTwoAreTheSame(_ first: String, _ second: String) {
        let names = [ResultEntry.fileName(of: first), ResultEntry.fileName(of: second)]
        #expect(names[0] != names[1] || first == second)
        #expect(names.allSatisfy { !$0.contains("/") && !$0.hasPrefix(".") })
    }

    @Test func aLongNameIsCutAndStaysItsOwn() {
        let long = String(repeating: "x", count: 300)
        #expect(ResultEntry.fileName(of: long + "1") != ResultEntry.fileName(of: long + "2"))
        #expect(ResultEntry.fileName(of: long).utf8.count < 150)
    }

    @Test func aRunHasAUUIDOfItsOwnForEver() {
        let uuid = RunResult.uuid("enrolment-0-1", Digest.sha256)
        #expect(
            uuid == RunResult.uuid("enrolment-0-1", Digest.sha256)
                && uuid != RunResult.uuid("enrolment-0-2", Digest.sha256))
        let parts = uuid.split(separator: "-").map(\.count)
        #expect(parts == [8, 4, 4, 4, 12] && uuid.split(separator: "-")[2].first == "8")
    }
}
