// SPDX-License-Identifier: Apache-2.0
import Testing

/// `studyd prove` on a device that went from one participant to the next.
@Suite(.timeLimit(.minutes(10))) struct ProveCommandTests {
    private static func rules(_ probability: String) -> String {
        """
        [rule.chance]
        task = "pain"
        every = "1h"
        available = ["no run open"]
        probability = \(probability)
        """
    }

    /// Takes a file out of the store: `study_file` has the files of studies and rules by their SHA-256.
    private static let takeOut = """
        import hashlib, sqlite3, sys
        store = sqlite3.connect(sys.argv[1])
        digest = hashlib.sha256(open(sys.argv[2], "rb").read()).hexdigest()
        gone = store.execute("DELETE FROM study_file WHERE digest = ?", (digest,)).rowcount
        store.commit()
        store.close()
        sys.exit(0 if gone == 1 else 3)
        """

    @Test func anEnrolmentThatCannotBeProvenHidesNoOther() async throws {
        try await Stage.with { stage in
            try stage.configure(recordings: nil, measures: [])
            try stage.board()
            let receiver = try await LabReceiver(stage)
            try receiver.serve([LabStudy.always("pain", question: "level")])
            for (participant, probability) in [("P1", "0.4"), ("P2", "0.6")] {
                if participant == "P2" { #expect(try await stage.studyd("withdraw").code == 0) }
                let rules = "\(stage.folder)/\(participant).toml"
                try Files.write(Self.rules(probability), to: rules)
                let enrolled = try await stage.studyd(
                    "enroll", receiver.studyURL, "--participant", participant, "--rules", rules)
                #expect(enrolled.code == 0, "\(enrolled)")
            }
            let whole = try await stage.studyd("prove")
            #expect(whole.code == 0 && whole.output.split(separator: "\n").count == 2, "\(whole)")
            let taken = try stage.start([
                "python3", "-c", Self.takeOut, stage.state + "/studyd.sqlite", stage.folder + "/P1.toml",
            ])
            #expect(try await taken.ended() == 0, "\(taken.errors)")
            let cut = try await stage.studyd("prove")
            #expect(cut.code == 1 && cut.errors.contains("its rules are not here"), "\(cut)")
            #expect(cut.output.hasPrefix("P2: 0 of 0 decisions"), "\(cut)")
        }
    }
}
