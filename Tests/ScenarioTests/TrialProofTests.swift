// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

/// A made day with rules, from the devices through the lab's receiver and its export to `studyd prove`:
/// nothing but the programs, and files between them.
@Suite(.timeLimit(.minutes(45))) struct TrialProofTests {
    private static let rules = """
        [feature.effort]
        from = "accelerometer"
        is = "enmo"
        window = "10m"
        [rule.walk]
        task = "moment"
        every = "30m"
        available = ["no run open", "prompts on", "40m since prompt"]
        probability = [{ when = "effort < 0.02g", p = 0.6 }, { p = 0.3 }]
        outcome = { feature = "effort", window = "+10m" }
        """

    private func run(_ stage: Stage, _ words: [String], code: Int32 = 0) async throws -> String {
        let child = try stage.start(words)
        let end = try await child.ended(within: .seconds(2400))
        try #require(end == code, "\(words.prefix(3)) ended with \(end): \(child.errors)\(child.output)")
        return child.output + child.errors
    }

    @Test func aStrangerProvesALabsDatasetAndSeesEachChange() async throws {
        try await Stage.with { stage in
            let (made, dataset) = (stage.folder + "/made", stage.folder + "/dataset")
            try Files.write(Self.rules, to: stage.folder + "/rules.toml")
            _ = try await run(
                stage,
                [
                    Programs.tools, "make-study", Programs.package + "/studies/sleep-and-movement.json",
                    "--participants", "1", "--days", "1", "--rate", "10", "--rules", stage.folder + "/rules.toml", "-o",
                    made,
                ])
            let lab = made + "/lab"
            let device = made + "/devices/P001"
            let own = try await run(stage, [Programs.studyd, "prove", device])
            let export = [Programs.receiver, "export", "--data", lab, "-o", dataset]

            // While the trial runs the seed is on the device alone.
            _ = try await run(stage, export + ["--unblind"])
            let words = try await run(stage, [Programs.studyd, "prove", dataset], code: 1)
            #expect(words.contains("has no seed of P001") && words.contains("--seed-file"), "\(words)")
            let seeds = try await run(stage, [Programs.studyd, "prove", device, "--seeds"])
            let seed = try #require(seeds.split(whereSeparator: \.isWhitespace).last.map(String.init))
            #expect(
                !(try await run(stage, ["grep", "-rl", seed, lab, dataset], code: 1)).contains("/"), "it leaves nothing"
            )

            try Files.write(seeds, to: stage.folder + "/seeds")
            _ = try await run(stage, export + ["--unblind", "--seed-file", stage.folder + "/seeds"])
            let verdict = try await run(stage, [Programs.studyd, "prove", dataset])
            #expect(verdict == own, "\(verdict)\(own)")
            let count = try #require(verdict.split { !$0.isNumber && !$0.isLetter }.compactMap { Int($0) }.first)
            #expect(verdict.hasPrefix("P001: \(count) of \(count) decisions") && count > 20, "\(verdict)")
            // Another program, written from the page alone.
            let reading = try await run(
                stage, ["python3", Programs.package + "/Tests/Decisions/reading.py", dataset])
            #expect(reading.contains("\(count) of \(count) decisions"), "\(reading)")
            let presented = try prompts(dataset + "/prompts.csv")
            #expect(presented > 0 && reading.contains("\"presented\": \(presented),"), "\(reading)")

            try await changes(stage, dataset)
            try await blind(stage, lab, seed)
        }
    }

    /// How many prompts of rules were presented.
    private func prompts(_ table: String) throws -> Int {
        let rows = Files.text(table).split(separator: "\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        let column = try #require(rows.first?.firstIndex(of: "presented_utc"))
        return rows.count { row in row.contains { $0.contains("/rule.") } && !row[column].isEmpty }
    }

    /// Each change alone, and the words with which it is found.
    private func changes(_ stage: Stage, _ dataset: String) async throws {
        let table = dataset + "/decisions.csv"
        let lines = Files.text(table).split(separator: "\n").map(String.init)
        let head = lines[0].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        func row(_ result: String) throws -> (place: Int, cells: [String]) {
            let place = try #require(lines.firstIndex { $0.contains(",\(result),") })
            return (place, lines[place].split(separator: ",", omittingEmptySubsequences: false).map(String.init))
        }
        for (column, text) in [
            ("probability", "0.5"), ("draw", "0.123"), ("treatment", "1"), ("available", "0"), ("effort", "0.9"),
            ("reasons", "not-worn"), ("outcome", "0.77"),
        ] {
            var (place, cells) = try row("control")
            let column = try #require(head.firstIndex(of: column), "\(column)")
            cells[column] = text
            var changed = lines
            changed[place] = cells.joined(separator: ",")
            try Files.write(changed.joined(separator: "\n") + "\n", to: table)
            let words = try await run(stage, [Programs.studyd, "prove", dataset], code: 1)
            #expect(words.contains("decision \(cells[2]): \(head[column]) is \(text) in decisions.csv"), "\(words)")
        }
        try Files.write(lines.dropLast().joined(separator: "\n") + "\n", to: table)
        #expect(try await run(stage, [Programs.studyd, "prove", dataset], code: 1).contains("not in decisions.csv"))
        // A newer export may have more columns.
        let more = ([lines[0] + ",mood"] + lines.dropFirst().map { $0 + ",1" }).joined(separator: "\n")
        try Files.write(more + "\n", to: table)
        #expect(
            try await run(stage, [Programs.studyd, "prove", dataset]).contains("; not compared in decisions.csv: mood"))
        try Files.write(lines.joined(separator: "\n") + "\n", to: table)

        // The log beside it says the same, and is computed as well.
        let log = dataset + "/trial/" + (try #require(Files.names(dataset + "/trial").first))
        let told = Files.text(log)
        for (old, new, words) in [
            (#"\"probability\":0.3"#, #"\"probability\":0.4"#, "probability is 0.3 by the recordings"),
            (#"\"draw\":0."#, #"\"draw\":0.1"#, "draw is 0."),
            (#"\"result\":\"control\""#, #"\"result\":\"treated\""#, "is"),
        ] {
            let place = try #require(told.firstRange(of: old), "\(old)")
            try Files.write(String(told[..<place.lowerBound]) + new + told[place.upperBound...], to: log)
            let found = try await run(stage, [Programs.studyd, "prove", dataset], code: 1)
            #expect(found.contains("P001: rule walk, decision") && found.contains(words), "\(found)")
        }
        try Files.write(told, to: log)

        let folder = dataset + "/recordings/P001/" + (try #require(Files.names(dataset + "/recordings/P001").first))
        let name = try #require(Files.names(folder).first { $0.hasSuffix("-accelerometer.cwa") })
        let bytes = Files.bytes(folder + "/" + name)
        var other = bytes
        other[bytes.count / 2] ^= 1
        // The lab's own file is another name of the same.
        unlink(folder + "/" + name)
        try Files.write(other, to: folder + "/" + name)
        #expect(try await run(stage, [Programs.studyd, "prove", dataset], code: 1).contains(name))
        try Files.write(bytes, to: folder + "/" + name)

        let rules = dataset + "/rules/" + (try #require(Files.names(dataset + "/rules").first))
        let text = Files.text(rules)
        try Files.write(text + "# \n", to: rules)
        #expect(try await run(stage, [Programs.studyd, "prove", dataset], code: 1).contains(rules))
        try Files.write(text, to: rules)
        _ = try await run(stage, [Programs.studyd, "prove", dataset])
    }

    /// What the lab shows to who must not know who was treated.
    private func blind(_ stage: Stage, _ lab: String, _ seed: String) async throws {
        let dataset = stage.folder + "/blind"
        _ = try await run(stage, [Programs.receiver, "export", "--data", lab, "-o", dataset])
        #expect(Files.names(dataset).filter { ["rules", "trial", "seeds.csv"].contains($0) }.isEmpty)
        let head = try #require(Files.text(dataset + "/decisions.csv").split(separator: "\n").first)
        for column in ["result", "available", "reasons", "probability", "treatment", "draw", "budget_spent"] {
            #expect(!head.split(separator: ",").contains { $0 == column }, "\(column)")
        }
        for word in ["/rule\\.", seed] {
            let found = try await run(stage, ["grep", "-rlE", word, dataset], code: 1)
            #expect(found.isEmpty, "\(found)")
        }
        let receiver = try await LabReceiver(stage, more: ["--data", lab, "--clock-from", "2026-03-03T00:20:00Z"])
        for path in [
            "/", "/?user=P001", "/api/fleet", "/api/prompts?device=P001", "/tables/prompts.csv?days=all",
            "/api/devices",
        ] {
            let page = try await run(stage, ["curl", "-sSf", receiver.address + path])
            #expect(!page.contains("/rule.") && !page.contains(seed) && !page.contains("treated"), "\(path)")
        }
        let files = try await run(stage, ["curl", "-sSf", receiver.address + "/api/files"])
        #expect(files.contains("log-000000001-"))
        let number = try await run(
            stage,
            [
                "python3", "-c",
                "import json,sys; print([f['number'] for f in json.loads(sys.argv[1]) if f['name'].startswith('log-')][0], end='')",
                files,
            ])
        let code = try await run(
            stage,
            ["curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", receiver.address + "/files/\(number)/content"])
        #expect(code == "403")
        try await receiver.process.stop()
    }
}
