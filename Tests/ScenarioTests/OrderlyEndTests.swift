// SPDX-License-Identifier: Apache-2.0
import Glibc
import Patience
import Testing

/// SIGTERM: everything is sealed, and everything is dark and silent.
@Suite struct OrderlyEndTests {
    @Test(.timeLimit(.minutes(20)), arguments: ["none", "hang"]) func filesAreSealedAndLightsAreDark(_ fault: String)
        async throws
    {
        try await Stage.with { stage in
            let receiver = try await LabReceiver(stage)
            try receiver.serve([LabStudy.always("pain", question: "level")])
            try stage.configure(recordings: receiver.address + "/files")
            try stage.board(.init(wishes: ["pain"]))
            #expect(try await stage.studyd("enroll", receiver.studyURL).code == 0)
            try await receiver.meet(fault)
            let agent = try await stage.agent()
            let panel = try PanelFiles(of: agent)
            try await eventually("everything is recorded, a question is told, and the uploader is busy") {
                let status = try await stage.status()
                let isSending = fault == "none" || status["ledger"]["items"]["sending"].int > 0
                let measures = status["measures"].list
                return isSending && measures.count == 4 && measures.allSatisfy { $0["stored"].int > 0 }
            }
            try await eventually("the light is on") { !panel.isDark }

            try await agent.stop()
            #expect(panel.isDark, "\(panel.contents)")
            let names = Files.names(stage.state + "/recordings")
            #expect(
                names.count >= 8 && names.allSatisfy { !$0.contains(".partial") && !$0.contains(".open") }, "\(names)")
            #expect(Files.names(stage.state).contains("control.sock") == false)
            try await stage.expectWhole()
        }
    }

    /// The agent takes standard error for the journal's wherever JOURNAL_STREAM is set, and then also writes to
    /// journald: that is not tried where there is one.
    private static let streams: [([String], String)] = {
        let terminal = (["-u", "JOURNAL_STREAM"], "notice: studyd: stopping signal=15")
        if access("/run/systemd/journal/socket", F_OK) == 0 {
            print("SKIPPED: no line for the journal is read, because it would also get to this machine's own")
            return [terminal]
        }
        return [terminal, (["JOURNAL_STREAM=8:1"], "<5>studyd: stopping signal=15")]
    }()

    /// A line for the journal begins with its priority (sd-daemon(3); RFC 5424, table 2: notice is 5), one for a
    /// terminal with a word.
    @Test(.timeLimit(.minutes(20)), arguments: streams)
    func linesAreForTheJournalOrForATerminal(environment: [String], line: String) async throws {
        try await Stage.with { stage in
            try stage.configure(recordings: nil, measures: [])
            try stage.board()
            let agent = try stage.start(
                ["env"] + environment + [Programs.tools, "run", "--config", stage.folder + "/studyd.toml"])
            try await eventually("the agent answers") {
                if let end = agent.end { throw Complaint("the agent ended with \(end): \(agent.errors)") }
                return try await stage.status()["running"].isTrue
            }
            try await agent.stop()
            #expect(agent.errors.split(separator: "\n").contains { $0 == line }, "\(agent.errors)")
        }
    }
}

/// The files of the simulated panel, opened so that they can be read after the board has
/// been taken away.
private final class PanelFiles: Sendable {
    private let descriptors: [String: CInt]

    init(of agent: Child) throws {
        guard let board = agent.simulatedBoard else { throw Complaint("no simulated board: \(agent.openFiles)") }
        var found: [String: CInt] = [:]
        for panel in Files.names(board) where panel.hasPrefix("studyd-panel-") {
            for name in ["leds/prompt/brightness", "leds/prompt/multi_intensity", "pwm0/enable"] {
                let descriptor = open("\(board)/\(panel)/\(name)", O_RDONLY | O_CLOEXEC)
                if descriptor >= 0 { found[name] = descriptor }
            }
        }
        guard found.count == 3 else { throw Complaint("the panel of \(board) has \(found.keys)") }
        descriptors = found
    }

    deinit { for descriptor in descriptors.values { close(descriptor) } }

    var contents: [String: String] { descriptors.mapValues { Files.text($0) } }
    /// No light and no sound.
    var isDark: Bool {
        contents.values.allSatisfy { text in text.split(whereSeparator: \.isWhitespace).allSatisfy { $0 == "0" } }
    }
}
