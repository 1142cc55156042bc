// SPDX-License-Identifier: Apache-2.0
import Glibc
import Patience
import Testing

/// `studyd recordings` and what it says of wrong calls.
@Suite(.timeLimit(.minutes(10))) struct RecordingsCommandTests {
    private static let hasAge: Bool = {
        let isThere = ["age", "age-keygen"].allSatisfy { access("/usr/bin/" + $0, X_OK) == 0 }
        if !isThere { print("SKIPPED: install age to seal files for 'recordings open'") }
        return isThere
    }()

    /// An administrator's folder would not be the service's.
    @Test func aListBeforeTheFirstStartMakesNoFolder() async throws {
        try await Stage.with { stage in
            try stage.configure(recordings: nil, measures: ["accelerometer"])
            try stage.board()
            let study = stage.folder + "/study.json"
            let module = LabStudy.always("pain", question: "level")
            try Files.write(LabStudy(postURL: "http://127.0.0.1:1/post", modules: [module]).text, to: study)
            #expect(try await stage.studyd("enroll", study, "--participant", "P1").code == 0)
            let listed = try await stage.studyd("recordings", "list")
            #expect(listed.code == 0 && listed.output.split(separator: "\n").count == 1, "\(listed)")
            #expect(listed.output.hasPrefix("FILE "))
            #expect(access(stage.state + "/recordings", F_OK) != 0)
        }
    }

    @Test func whatWouldCheckNothingIsRefused() async throws {
        try await Stage.with { stage in
            let key = String(repeating: "a1", count: 32)
            let track = Programs.package + "/studies/receiver.nmea"
            for (words, reason) in [
                (["recordings", "verify", track, "--device-key", key], "--device-key needs --manifest or --log"),
                (
                    ["recordings", "verify", track, "--manifest", "m.json", "--device-key", String(key.dropLast(2))],
                    "has 64 hexadecimal digits"
                ),
                (["history", "--results", "--seen-by-participant"], "--seen-by-participant is for the graphs"),
                (["history", "--events", "--seen-by-participant"], "--seen-by-participant is for the graphs"),
            ] {
                let refused = try stage.start([Programs.studyd] + words)
                #expect(
                    try await refused.ended() == 2 && refused.errors.contains(reason), "\(words): \(refused.errors)")
            }
            let log = try stage.start([
                Programs.studyd, "recordings", "verify", track, "--log", stage.folder + "/device.sqlite",
                "--device-key", key,
            ])
            #expect(try await log.ended() == 1)
            #expect(log.errors.contains("was signed by no device; give the log's segments"), "\(log.errors)")
        }
    }

    /// Sealed by age: to the lab, to somebody else, to the lab.
    @Test(.enabled(if: hasAge, "needs age")) func aFileThatTheKeyDoesNotOpenHoldsUpNoOther() async throws {
        try await Stage.with { stage in
            let script = """
                set -e
                cd \(stage.folder)
                mkdir sealed
                age-keygen -o lab.txt
                age-keygen -o other.txt
                for name in lab other; do age-keygen -y $name.txt > $name.pub; done
                for pair in a:lab b:other c:lab; do
                    age -R ${pair#*:}.pub -o sealed/${pair%:*}.nmea.age \(Programs.package)/studies/receiver.nmea
                done
                """
            let sealing = try stage.start(["sh", "-c", script])
            #expect(try await sealing.ended() == 0, "\(sealing.errors)")
            let opening = try stage.start([
                Programs.studyd, "recordings", "open", "--key", stage.folder + "/lab.txt", "--into",
                stage.folder + "/opened", stage.folder + "/sealed",
            ])
            #expect(try await opening.ended() == 1)
            #expect(
                opening.output.split(separator: "\n").map(String.init)
                    == ["a.nmea", "c.nmea"].map { "\(stage.folder)/opened/\($0)" })
            #expect(opening.errors.contains("sealed/b.nmea.age"), "\(opening.errors)")
            let track = Files.text(Programs.package + "/studies/receiver.nmea")
            #expect(Files.text(stage.folder + "/opened/c.nmea") == track)
        }
    }
}
