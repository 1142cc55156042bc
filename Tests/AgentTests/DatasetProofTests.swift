// SPDX-License-Identifier: Apache-2.0
import SystemKit
import Testing

@testable import Agent

@Suite struct DatasetProofTests {
    /// Of a dataset with one enrolment, without its log.
    private func refusal(rules: String?) async throws -> (path: String, words: String?) {
        try await AgentFixture.inFolder { folder -> (path: String, words: String?) in
            let digest = String(repeating: "ab", count: 32)
            let seed = String(repeating: "01", count: 32)
            try AtomicFile.write(
                Array("id,enrolment,seed,rules\nP1,e1,\(seed),\(digest)\n".utf8), toNamed: folder + "/seeds.csv")
            try AtomicFile.write(Array("id,enrolment,rule,decision\n".utf8), toNamed: folder + "/decisions.csv")
            if let rules {
                try File.makeFolder(folder + "/rules")
                try AtomicFile.write(Array(rules.utf8), toNamed: "\(folder)/rules/\(digest).toml")
            }
            let error = #expect(throws: FileError.self) { try DatasetProof(folder).prove { _ in } }
            return (folder + "/rules/\(digest).toml", error?.description)
        }
    }

    @Test(
        arguments: [
            (nil, "is not here: the rules that seeds.csv names"),
            ("", "is not the file that was enrolled with: its SHA-256 is another"),
        ] as [(String?, String)])
    func rulesThatAreMissingOrOthersAreNamedWithTheWayToGetThem(_ rules: String?, _ words: String) async throws {
        let (path, said) = try await refusal(rules: rules)
        #expect(said == "\(path): \(words); export it again with 'study-receiver export --unblind'")
    }
}
