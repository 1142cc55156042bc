// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

/// A lab's folder of two made participants: what no single file shows is found by what the device
/// has signed. The damages are made by Python, by docs/recordings.md.
@Suite(.timeLimit(.minutes(45))) struct VerifiedLabTests {
    /// What has to be said of each of the six, of the two recordings that are damaged.
    private static func complaints(_ first: String, _ second: String) -> [(set: String, words: [String])] {
        func text(_ name: String) -> String { name.prefix { $0 != "." } + ".json" }
        return [
            ("whole", []),
            ("1", ["\(first): it was produced, and is not here", "\(text(first)): it was produced, and is not here"]),
            ("2", ["it is not the \(first) that was produced", "\(first): it was produced, and is not here"]),
            ("3", ["000999-accelerometer.cwa: ", "it was added, or is another device's"]),
            ("4", ["it is not the \(text(first)) that was produced"]),
            ("5", ["it is \(first), under another name", "it is \(second), under another name"]),
            ("6", ["it is \(first), under another name"]),
        ]
    }

    @Test func eachOfSixDamagesIsNamedByManifestAndByLog() async throws {
        try await Stage.with { stage in
            let (folder, target) = (stage.folder + "/out", stage.folder + "/six")
            let made = try stage.start([
                Programs.tools, "make-study", Programs.package + "/studies/sleep-and-movement.json", "--participants",
                "2",
                "--days", "1", "--rate", "10", "--measures", "nothing", "-o", folder,
            ])
            #expect(try await made.ended(within: .seconds(2400)) == 0, "\(made.errors)")
            let damage = try stage.start([
                "python3", Programs.package + "/Tests/ScenarioTests/six_damages.py", folder + "/lab", "P001", "P002",
                target,
            ])
            #expect(try await damage.ended() == 0, "\(damage.errors)")
            let names = damage.output.split { $0.isWhitespace }.map(String.init)
            try #require(names.count == 4)
            let manifests = Files.text(target + "/manifest.txt").split(separator: "\n").flatMap {
                ["--manifest", "\($0)"]
            }
            try #require(!manifests.isEmpty)
            let log = ["--log", folder + "/devices/P001/studyd.sqlite"]
            for (source, options) in [("manifest", manifests), ("log", log)] {
                for (set, words) in Self.complaints(names[0], names[1]) {
                    let verify = try stage.start(
                        [Programs.studyd, "recordings", "verify", "\(target)/\(source)/\(set)"] + options)
                    #expect(try await verify.ended() == (words.isEmpty ? 0 : 1), "\(source) \(set): \(verify.output)")
                    for word in words { #expect(verify.output.contains(word), "\(source) \(set): \(verify.output)") }
                    #expect(verify.output.contains("OK"), "the others are whole")
                }
            }
        }
    }
}
