// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite struct DecodeCommandTests {
    /// Two epochs of one receiver, the second without a fix: each is a line, from a file as from a pipe.
    @Test(.timeLimit(.minutes(20)), arguments: ["exec \"$0\" decode nmea \"$1\"", "exec \"$0\" decode nmea <\"$1\""])
    func everyEpochIsALine(command: String) async throws {
        try await Stage.with { stage in
            let log = stage.folder + "/receiver.log"
            try Files.write(
                """
                $GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A\r
                $GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47\r
                $GPRMC,123520,V,,,,,,,230394,,*39\r

                """, to: log)
            let child = try stage.start(["/bin/sh", "-c", command, Programs.studyd, log])
            #expect(try await child.ended() == 0, "\(child.errors)")
            let lines = child.output.split(separator: "\n")
            #expect(lines.count == 2 && lines.first?.contains("48.1173") == true, "\(child.output)")
            #expect(lines.last?.contains("48.1173") == false)
        }
    }

    @Test(.timeLimit(.minutes(20))) func aFileThatIsNotThereIsNamed() async throws {
        try await Stage.with { stage in
            let found = try await stage.studyd("decode", "nmea", stage.folder + "/none.log")
            #expect(found.code == 1 && found.output.isEmpty && found.errors.contains("/none.log"), "\(found)")
        }
    }
}
