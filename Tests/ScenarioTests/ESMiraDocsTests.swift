// SPDX-License-Identifier: Apache-2.0
import HeldPort
import Testing

/// The commands of the page on ESMira, as written, in an empty folder. Only the port
/// is another, and the place where boards are installed.
@Suite(.timeLimit(.minutes(20))) struct ESMiraDocsTests {
    @Test func everyCommandOfThePagesWorksAsWritten() async throws {
        try await Stage.with { stage in
            let folder = stage.folder + "/desk"
            let port = try HeldPort()
            let page = Files.text(Programs.package + "/docs/esmira.md")
            let commands = Self.blocks(page).joined(separator: "\n")
                .replacing("8080", with: String(port.number)).replacing(
                    "study-receiver ", with: "study-receiver --port \(port.number) "
                )
                .replacing("/usr/share/studyd", with: Programs.package)
            #expect(commands.contains("study-receiver") && commands.contains("studyd-tools demo"))
            let script = """
                set -e
                export PATH="\(Programs.folder):$PATH"
                mkdir '\(folder)'
                cd '\(folder)'
                trap 'kill $receiver' EXIT
                \(commands.replacing("--data ./lab &", with: "--data ./lab &\nreceiver=$!"))
                """
            try Files.write(script, to: stage.folder + "/desk.sh")
            let run = try stage.start(["sh", stage.folder + "/desk.sh"])
            let code = try await run.ended(within: .seconds(900))
            #expect(code == 0, "\(run.errors.suffix(2_000))")
            for part in [
                #""accessKeys":["mood"]"#, #"{"states":[{"dataSetId":1,"success":true}],"tokens":{}}"#,
                "\"questionnaire\";", "71/mood", "study         7 (esmira)", "withdrawn",
            ] {
                #expect(run.output.contains(part), "\(part)")
            }
        }
    }

    /// The fenced blocks that are run in this folder.
    private static func blocks(_ page: String) -> [String] {
        var (blocks, isRun): ([[Substring]], Bool?) = ([], nil)
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                let info = line.dropFirst(3)
                isRun = isRun == nil ? info.isEmpty || info == "sh run needs the server" : nil
                if isRun == true { blocks.append([]) }
            } else if isRun == true {
                blocks[blocks.count - 1].append(line)
            }
        }
        return blocks.map { $0.joined(separator: "\n") + "\n" }
    }
}
