// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

/// The demo on a real terminal's other side: keys go into a pty, and what is seen is what pyte, an
/// emulator that others wrote, makes of the bytes (`drawn_demo.py`).
@Suite(
    .timeLimit(.minutes(20)),
    .enabled(if: Emulator.isThere, "needs Python's pyte; STUDYD_PYTHON may name a Python that has it")
)
struct DrawnDemoTests {
    private static func play(_ name: String, _ columns: Int, _ rows: Int) async throws {
        try await Stage.with { stage in
            let child = try stage.start([
                Emulator.python, Programs.package + "/Tests/ScenarioTests/drawn_demo.py", Programs.tools,
                name, "\(columns)", "\(rows)",
            ])
            let end = try await child.ended(within: .seconds(900))
            #expect(end == 0, "\(child.errors)")
            #expect(child.output.hasPrefix("seen"))
        }
    }

    @Test(arguments: [(80, 24), (100, 24), (60, 20), (132, 40)])
    func aPromptIsAnsweredAndNothingScrollsOrIsCutOff(_ columns: Int, _ rows: Int) async throws {
        try await Self.play("prompt", columns, rows)
    }

    @Test func leavingIsAskedFirstAndAWaitingPromptIsToldOnce() async throws {
        try await Self.play("leave", 80, 24)
    }

    /// The bytes of the terminal are those of kitty's protocol.
    @Test func aHoldIsAsLongAsTheKeyIsHeldWhereTheTerminalTells() async throws {
        try await Self.play("hold", 80, 24)
    }

    @Test func elsewhereKeysHoldToTheSteps() async throws { try await Self.play("steps", 80, 24) }

    @Test func whatLiesWhereIsToldAfterAMove() async throws { try await Self.play("towers", 80, 24) }

    @Test func aPromptOfOnePressShowsItsQuestionAndItsAnswerCanBeTakenBack() async throws {
        try await Self.play("quick", 80, 24)
    }

    @Test func theDrawingFollowsTheSizeOfTheTerminal() async throws {
        try await Self.play("resize", 80, 24)
    }

    @Test func noColoursWhereNoneAreWanted() async throws { try await Self.play("colours", 80, 24) }

    @Test func errorsThatGoToAFileStayThere() async throws { try await Self.play("errors", 100, 24) }

    @Test func plainMeansLines() async throws { try await Self.play("plain", 80, 24) }
}

/// A Python with the emulator.
private enum Emulator {
    static let python = getenv("STUDYD_PYTHON").map { String(cString: $0) } ?? "python3"

    static let isThere: Bool = {
        let child = try? Child([python, "-c", "import pyte"], output: "/tmp/studyd-pyte-\(getpid())")
        defer { for end in ["out", "err"] { unlink("/tmp/studyd-pyte-\(getpid()).\(end)") } }
        for _ in 0..<200 {
            guard let child else { break }
            if let end = child.end {
                if end == 0 { return true }
                break
            }
            usleep(50_000)
        }
        print("SKIPPED: Python's pyte is not installed; STUDYD_PYTHON may name a Python that has it")
        return false
    }()
}
