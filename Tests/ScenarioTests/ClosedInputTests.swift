// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite struct ClosedInputTests {
    /// Without standard input the first file that is opened is descriptor 0 (open(2): the lowest that is free), which
    /// is one like any other.
    @Test(.timeLimit(.minutes(20)), arguments: ["<&-", "</dev/null"])
    func aFileIsReadWithoutStandardInput(input: String) async throws {
        try await Stage.with { stage in
            let table = "#units µT\ntime,uptime,mag_x\n2026-11-21T09:00:00.000000Z,1.000000,42\n"
            try Files.write(table, to: stage.folder + "/field.csv")
            let child = try stage.start([
                "/bin/sh", "-c", "exec \"$0\" export \"$1\" --to csv \(input)", Programs.tools,
                stage.folder + "/field.csv",
            ])
            #expect(try await child.ended() == 0, "\(child.errors)")
            #expect(child.output.contains(",42"), "\(child.output)")
        }
    }
}
