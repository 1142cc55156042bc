// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Device
import FoundationEssentials
import Glibc
import SystemKit
import Testing

@testable import Dataset
@testable import Lab
@testable import StandIns

/// Two participants in every table and folder of a lab, of whom one is erased.
@Suite(.timeLimit(.minutes(10))) struct EraseTests {
    private typealias Command = EraseCommand<StandInOptions>

    /// What the erased one, and the other, has answered and written.
    static let answer = "Weeping"
    private static let otherAnswer = "Walking"
    static let other = "Other-7"

    // MARK: The folder

    func filled(_ id: String = "P007") async throws -> LabFixture {
        let lab = try LabFixture()
        for (number, user) in [id, Self.other].enumerated() {
            let word = number == 0 ? Self.answer : Self.otherAnswer
            try await fillArchive(lab, user, number, word)
            try await fillReports(lab, user, number)
            try await fillRegister(lab, user, number, word)
            try await fillPlatforms(lab, user, number, word)
            try fillFolders(lab, user, number, word)
        }
        return lab
    }

    private func fillArchive(_ lab: LabFixture, _ user: String, _ number: Int, _ word: String) async throws {
        let enrolment = "e\(number)"
        try await lab.post(user, responses: #"{"doing":"\#(word)"}"#)
        try await lab.log(user, page: word)
        try await lab.record(
            of: user, enrolment: enrolment, device: UInt32(number + 7), bytes: Array("\(word) of \(user)".utf8))
        try await lab.upload(
            "000009-magnetometer.csv", Array("\(word), and cut short".utf8), of: user, enrolment: enrolment, part: 12)
        try await lab.upload("shared.bin", Array("of both".utf8), of: user, enrolment: enrolment)
        try await lab.sage(Array("PK \(word)".utf8), of: user)
        let archive = try Archive(.file(lab.directory + "/receiver.sqlite"))
        try await archive.refuse(["it said \(word)"], path: "/schema", user: user, at: LabFixture.now)
        try File.makeFolder(lab.directory + "/previews")
        for upload in try await archive.uploads(user: user, limit: 9) {
            try await archive.noteWorn([:], in: upload.number)
            try AtomicFile.write(Array("\(word) \(user)".utf8), to: "\(lab.directory)/previews/\(upload.number).svg")
        }
    }

    private func fillReports(_ lab: LabFixture, _ user: String, _ number: Int) async throws {
        let (enrolment, body) = ("e\(number)", Array("the body of \(user)".utf8))
        try await lab.report(LabFixture.prompt("moment/1"), of: user, enrolment: enrolment)
        try await lab.manifest(
            LabFixture.entry("answers-1", sha256: try Digest(of: body).description), of: user, enrolment: enrolment)
        let fleet = try FleetArchive(.file(lab.directory + "/fleet.sqlite"))
        try await fleet.notePosted(body)
        let file = lab.directory + "/fleet-watch.sqlite"
        _ = try FleetWatch(
            .file(file), archive: fleet, keys: try DeviceKeys(.memory), limitsFile: lab.directory + "/limits.toml",
            expectedVersion: nil, makesNotices: true, since: .epoch, report: { _ in })
        let (watch, source) = (try Connection(.file(file)), FleetSource.id(study: "s", device: user, enrolment: "e"))
        for kind in Attention.Kind.allCases {
            let begun = FleetChange(source, nil, begun: Attention(kind: kind, since: .epoch, text: "so it is"))
            try watch.run("INSERT INTO standing VALUES (?, ?, 0, ?)", source, begun.key, begun.title)
            let ended = [false, true].map { FleetChange(source, nil, ended: begun.key, isRevoked: $0) }
            for change in [begun] + ended {
                try watch.run(
                    "INSERT INTO notice (title, body, priority, tags, attempts, due) VALUES (?, ?, 2, '', 0, 0)",
                    change.title, change.body)
            }
        }
        let heads = try LogHeads(.file(lab.directory + "/log-heads.sqlite"))
        for log in ["a\(number)", "b\(number)"] {
            let field = "\(String(repeating: log, count: 16)) 3:\(String(repeating: "0", count: 32))"
            try await heads.record(field, user: user, at: LabFixture.now)
            try await heads.record(compliance: "2026-11-25=5/3/1/2", of: field, at: LabFixture.now)
        }
    }

    private func fillRegister(_ lab: LabFixture, _ user: String, _ number: Int, _ word: String) async throws {
        let register = try LabRegister(.file(lab.directory + "/lab.sqlite"))
        try await register.write(
            label: word, text: "about \(user)", of: user, seen: nil, by: "Ada", from: "192.0.2.1", at: LabFixture.now)
        let keys = try DeviceKeys(.file(lab.directory + "/devices.sqlite"))
        try await keys.add([(user: user, key: String(repeating: "\(number)", count: 64))], at: .epoch)
        _ = try await keys.giveCodes(to: [user], until: LabFixture.now)
    }

    private func fillPlatforms(_ lab: LabFixture, _ user: String, _ number: Int, _ word: String) async throws {
        let path = LabFixture.root + "/studies/esmira.json"
        let study = try ESMiraServedStudy(try JSONReader.value(BoundedFile.text(path)), path: path)
        // The same moment, and an answer that both gave: of what is counted without names each has one.
        let cells = ["responseTime": "1795245120000", "mood": word, "stress": "4", "userId": user]
        try await ESMiraStore(.file(lab.directory + "/esmira.sqlite")).transaction { tables in
            try tables.prepare(study)
            let joined = ESMiraUser(name: user, number: try tables.nextNumber(in: study.id), joined: 0)
            try tables.save(joined, of: study.id)
            let columns = try tables.columns("26011", of: study.id) ?? []
            try tables.add(columns.map { cells[$0] ?? "" }, to: "26011", of: study.id, user: user)
            for (name, value) in [("mood 0", word), ("stress 0", "4")] {
                try tables.count(value, at: 1_795_245_120_000, for: name, of: study.id)
            }
            for identifier in 1...2 {
                try tables.expect(identifier, of: user, in: study.id, as: "audio/\(user)/\(identifier).3gpp")
            }
            try tables.keep(Array(word.utf8), as: "2.3gpp", identifier: 2, of: user, in: study.id, at: 0)
            try tables.add(
                ESMiraMessage(user: user, sender: user, content: word, sent: 0, isPending: false), of: study.id)
            try tables.add(report: "a script of \(user)", of: study.id, at: 0)
        }
        let store = try MyStudiesStore(.file(lab.directory + "/mystudies.sqlite"))
        _ = try await store.enroll(
            user, study: "EXAMPLE", token: "token-\(number)", sharing: "NA", at: LabFixture.now)
        let enrolled = try #require(try await store.participant(user))
        let body = Array(#"{"data":{"results":[{"key":"k","value":"\#(word)"}]}}"#.utf8)
        _ = try await store.keep(run: body, of: enrolled.id, activity: "Diary", version: "1.0", at: LabFixture.now)
        let account = "U\(number)"
        try await store.keep(
            userState: .members(["studyId": .string("EXAMPLE"), "participantId": .string(user)]), of: account,
            study: "EXAMPLE", activity: "")
        try await store.keep(
            userState: .members(["bookmarked": .string(word)]), of: account, study: "EXAMPLE", activity: "Diary")
        try await store.begin(session: [UInt8(number)], user: account, at: LabFixture.now, forgetting: .epoch)
    }

    private func fillFolders(_ lab: LabFixture, _ user: String, _ number: Int, _ word: String) throws {
        let (folder, name) = (lab.directory, JSONValue.string(user).text)
        try File.makeFolder(folder + "/accounts")
        try AtomicFile.write(Array(#"{"appId":"lab","accounts":[]}"#.utf8), to: folder + "/accounts/bridge.json")
        _ = try BridgeAPI(folder + "/accounts", directory: folder + "/bridge") { "t" }
        try Connection(.file(folder + "/bridge.sqlite")).run(
            "INSERT INTO archive VALUES (?, ?, 10)", "\(number).zip", user)
        try AtomicFile.write(Array("PK \(word)".utf8), to: "\(folder)/bridge/\(number).zip")
        for place in ["manifests", "logs", "downloads"] { try File.makeFolder("\(folder)/\(place)") }
        let manifest = #"{"format":"studyd-manifest","participant":\#(name),"entries":["\#(word)"]}"#
        try AtomicFile.write(Array(manifest.utf8), to: "\(folder)/manifests/e\(number)-manifest-2026-11-25.json")
        // Of a power cut.
        try AtomicFile.write(
            Array(manifest.utf8.dropLast(3)), to: "\(folder)/manifests/e\(number)-manifest-2026-11-26.json.new")
        let log = try GzipFile.compressed(Array("{\"format\":\"studyd-log\",\"participant\":\(name)}\n\(word)\n".utf8))
        try AtomicFile.write(log, to: "\(folder)/logs/e\(number)-log-000000001-000000009.jsonl.gz")
        try AtomicFile.write(Array("\(word) of \(user)".utf8), to: "\(folder)/downloads/answers.csv")
        for file in ["logs/e\(number)-log-1-9.jsonl.gz.unchecked", "partial/before\(number)"] {
            try AtomicFile.write(Array("\(word) of \(user)".utf8.prefix(9)), to: "\(folder)/\(file)")
        }
    }

    /// The files in which the bytes occur, as grep sees them; of a database the log counts as the file.
    private func files(with text: String, in lab: LabFixture) throws -> Set<String> {
        let script = #"LC_ALL=C grep -rlaF -e "$1" "$2"; true"#
        let found = try #require(DatasetProgram.run(["sh", "-c", script, "sh", text, lab.directory]))
        return Set(
            found.split(separator: "\n").map {
                String($0.dropFirst(lab.directory.count + 1)).replacing(".sqlite-wal", with: ".sqlite")
            })
    }

    private func erasure(of user: String, _ lab: LabFixture) -> Erasure {
        Erasure(of: user, in: lab.directory, StandInOptions.participantRows(of: user))
    }

    func erase(_ id: String, _ lab: LabFixture) async throws {
        try await Command.parse([id, "--data", lab.directory, "--yes", "--all-studies"]).run()
    }

    private func checkNothingIsLeft(of id: String, _ lab: LabFixture) throws {
        #expect(try files(with: Self.answer, in: lab) == [])
        #expect(try files(with: id, in: lab) == ["devices.sqlite", "lab.sqlite"], "the keys, and that it was done")
        #expect(try erasure(of: id, lab).survey() == [])
        let left = ["bridge": 1, "logs": 1, "manifests": 2, "partial": 1, "previews": 4, "sage": 1, "files": 3]
        for (folder, count) in left {
            #expect(FolderListing.readable("\(lab.directory)/\(folder)").count == count, "\(folder)")
        }
    }

    /// The other participant's tables.
    private func exported(_ lab: LabFixture) async throws -> [String: [UInt8]] {
        let folder = lab.directory + "-out"
        defer { FolderRemoval.remove(folder) }
        try await ExportCommand.parse([
            "--data", lab.directory, "-o", folder, "--study", LabFixture.study, "--participant", Self.other, "--to",
            "csv", "--with-holes",
        ]).run()
        // Issues are of the whole folder.
        let names = try FolderListing.names(in: folder) { $0.hasSuffix(".csv") && $0 != "issues.csv" }
        return try names.reduce(into: [:]) { $0[$1] = try BoundedFile.read("\(folder)/\($1)") }
    }

    // MARK: Tests

    /// A new table has to say which of its rows are a participant's.
    @Test func everyTableOfTheFolderIsLookedAt() async throws {
        let lab = try await filled()
        let stores = erasure(of: "P007", lab).stores
        let databases = FolderListing.readable(lab.directory).filter { $0.hasSuffix(".sqlite") }
        #expect(Set(databases) == Set(stores.map(\.file)))
        for store in stores {
            let connection = try Connection(.readOnly("\(lab.directory)/\(store.file)"))
            let names = try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table'") { try $0.string(0) }
            let others = Set(names).subtracting(store.tables.map(\.name))
            // Columns of a study, and whether it is frozen.
            #expect(others.isSubset(of: ["esmiraTable", "esmiraFrozen"]), "\(store.file): \(others)")
            for table in store.tables where table.noun != nil {
                let sql = "SELECT count(*) FROM \(table.name) WHERE \(table.condition)"
                let count = try connection.first(sql, "P007") { try $0.int(0) }
                #expect(count.map { $0 > 0 } == true, "\(table.name) is not filled")
            }
        }
    }

    @Test(arguments: ["P007", "../x", "żółć %_*[7]", String(repeating: "ä", count: 200)])
    func nothingOfTheParticipantIsLeftOnTheDisk(id: String) async throws {
        let lab = try await filled(id)
        let stores = erasure(of: id, lab).stores.map(\.file)
        #expect(try files(with: id, in: lab).isSuperset(of: stores))
        let (table, databases) = (try await exported(lab), try erasure(of: Self.other, lab).survey())
        let answers = String(decoding: table["answers.csv"] ?? [], as: UTF8.self)
        #expect(answers.contains(Self.otherAnswer) && !answers.contains(Self.answer))
        try await erase(id, lab)
        try checkNothingIsLeft(of: id, lab)
        #expect(try await exported(lab) == table)
        #expect(
            try erasure(of: Self.other, lab).survey().filter { $0.name.hasSuffix(".sqlite") }
                == databases.filter { $0.name.hasSuffix(".sqlite") })
        let changes = try await LabRegister(.file(lab.directory + "/lab.sqlite")).changes(limit: 9)
        #expect(changes.map(\.kind) == [.erase, .note, .note])
        #expect(changes.map(\.participant) == [id, Self.other, ""])
        #expect(changes.map(\.before) == ["", "", ""] && changes[2].after == "" && changes[2].by == "Ada")
        #expect(changes[0].by == "command" && changes[0].after.hasPrefix("receiver.sqlite 2 posts, 1 refused post, "))
        #expect(changes[0].after.contains(", 4 uploads, 1 archive; fleet.sqlite "))
    }

    /// The same name and bytes are kept once, in the file of who sent them first.
    @Test func whatAnotherHasSentTooStaysTheirs() async throws {
        let lab = try await filled()
        try await erase("P007", lab)
        let archive = try Archive(.file(lab.directory + "/receiver.sqlite"))
        let uploads = try await archive.uploads(user: Self.other, limit: 9)
        let shared = try #require(uploads.first { $0.name == "shared.bin" })
        #expect(shared.sameAs == nil && shared.space == 7)
        #expect(try BoundedFile.text("\(lab.directory)/files/\(shared.file ?? "")") == "of both")
        let bytes = uploads.reduce(0) { $0 + $1.space }
        #expect(try await archive.fileBytes(of: Self.other) == bytes)
    }

    /// Entries of ESMira's tables are told apart by the participant's number; a browser, a dataset or a file's name may
    /// still have the others.
    @Test(arguments: [[other], ["P007", other], [other, "P007"]])
    func noNumberIsGivenAgain(erased: [String]) async throws {
        let lab = try await filled()
        func numbers(_ figure: String) throws -> [Int64] {
            try [
                ("receiver", "id", "record"), ("receiver", "number", "upload"), ("mystudies", "id", "run"),
                ("esmira", "id", "esmiraRow"), ("esmira", "id", "esmiraFile"), ("esmira", "number", "esmiraUser"),
            ].map { file, column, table in
                let sql = "SELECT coalesce(\(figure)(\(column)), 0) FROM \(table)"
                return try Connection(.readOnly("\(lab.directory)/\(file).sqlite")).first(sql) { try $0.int(0) } ?? 0
            }
        }
        let before = try numbers("max")
        for id in erased { try await erase(id, lab) }
        try await fillArchive(lab, "P9", 2, "Resting")
        try await fillPlatforms(lab, "P9", 2, "Resting")
        let after = try numbers("max")
        let counts = try numbers("count")
        for (place, (old, new)) in zip(before, after).enumerated() {
            let given = counts[place] / Int64(3 - erased.count)
            #expect(new == old + given, "\(place): \(old), \(new)")
        }
    }

    /// Others' reports stay where the name is a part of another, or a number.
    @Test(
        arguments: [
            (
                "P1", ["P10: slow", "xP1", "P1ä", "P1-2: slow", "P1_b", "b-P1", "b_P1"],
                ["P1: slow", "of P10 and P1", "(P1)", "P1"]
            ),
            ("P1-2", ["P1: slow", "P1-20", "P1-2-3"], ["P1-2: slow"]),
            ("12", ["line 12", "12"], []), ("?[*", ["?[x", "ab*"], ["of ?[*."]),
        ] as [(String, [String], [String])])
    func aScriptsReportIsOfWhomItNames(id: String, others: [String], own: [String]) async throws {
        let lab = try LabFixture()
        let store = try ESMiraStore(.file(lab.directory + "/esmira.sqlite"))
        try await store.transaction { tables in
            try tables.save(ESMiraUser(name: id, number: 1, joined: 0), of: 7)
            for report in others + own { try tables.add(report: report, of: 7, at: 0) }
        }
        let counted = own.isEmpty ? "1 enrolment" : "\(Plural.of(own.count, "script report")), 1 enrolment"
        #expect(try erasure(of: id, lab).survey() == [Erasure.Place(name: "esmira.sqlite", what: counted)])
        try await erase(id, lab)
        let left = try await store.transaction { tables in try tables.reports(of: 7).map { $0.content } }
        #expect(left == others)
    }

    @Test func noTokenOfTheParticipantIsGoodAnyMore() async throws {
        let lab = try await filled()
        try await erase("P007", lab)
        let tokens = try MyStudiesStore(.file(lab.directory + "/mystudies.sqlite"))
        #expect(try await tokens.isForgotten("token-0", in: "EXAMPLE"))
        #expect(try await !tokens.isForgotten("token-1", in: "EXAMPLE"))
    }

    @Test func noKeyOfTheParticipantIsGoodAnyMore() async throws {
        let lab = try await filled()
        try await erase("P007", lab)
        let keys = try DeviceKeys(.file(lab.directory + "/devices.sqlite"))
        #expect(try await keys.rows(of: "P007").allSatisfy { $0.state == .revoked && $0.first == $0.last })
        for mode in DeviceKeyMode.allCases {
            for key in [String(repeating: "0", count: 64), String(repeating: "f", count: 64), nil] {
                #expect(try await keys.admit(key, for: "P007", mode: mode, at: LabFixture.now) == .revoked)
            }
        }
        #expect(try await keys.rows(of: Self.other).map(\.state) == [.approved])
    }

    /// Files, then a database after the other.
    @Test(arguments: [0, 1, 2, 3, 6, 9, 10]) func theNextRunFinishesWhatACrashLeft(steps: Int) async throws {
        let lab = try await filled()
        let begun = erasure(of: "P007", lab)
        try await DeviceKeys(.file(lab.directory + "/devices.sqlite")).revoke("P007", at: LabFixture.now)
        try await LabRegister(.file(lab.directory + "/lab.sqlite")).log(
            .erase, "P007", after: "begun", by: "command", at: LabFixture.now)
        if steps > 0 { try begun.deleteFiles() }
        for store in begun.stores.prefix(max(0, steps - 1)) { try begun.deleteRows(of: store) }
        try await erase("P007", lab)
        try checkNothingIsLeft(of: "P007", lab)
    }

    @Test func aSecondRunHasNothingToDoOrToNote() async throws {
        let lab = try await filled()
        for _ in 0..<2 { try await erase("P007", lab) }
        try checkNothingIsLeft(of: "P007", lab)
        try await Command.parse(["P007", "--data", lab.directory]).run()
        let changes = try await LabRegister(.file(lab.directory + "/lab.sqlite")).changes(of: "P007", limit: 9)
        #expect(changes.map(\.kind) == [.erase])
    }

    @Test func withoutYesNothingIsChanged() async throws {
        let lab = try await filled()
        // Those beside a database SQLite makes for a reader.
        func content() throws -> [String: Data] {
            let names = try FileManager.default.subpathsOfDirectory(atPath: lab.directory)
            return names.filter { !$0.hasSuffix("-shm") && !$0.hasSuffix("-wal") }.reduce(into: [:]) {
                $0[$1] = FileManager.default.contents(atPath: "\(lab.directory)/\($1)")
            }
        }
        let before = try content()
        try await Command.parse(["P007", "--data", lab.directory]).run()
        #expect(try content() == before)
        let found = try erasure(of: "P007", lab).survey()
        let folders = ["bridge/", "files/", "logs/", "manifests/", "partial/", "previews/", "sage/"]
        #expect(found.map(\.name).filter { $0.hasSuffix("/") } == folders)
        #expect(found.first { $0.name == "logs/" }?.what.hasPrefix("1 file, ") == true)
        #expect(found.first { $0.name == "devices.sqlite" }?.what == "1 key, 1 code")
        #expect(try await !DeviceKeys(.file(lab.directory + "/devices.sqlite")).isRevoked("P007"))
    }

    @Test(arguments: [
        ("P08", "did you mean 'P007'?"), ("other-7", "did you mean 'Other-7'?"),
        ("Somebody", "it has Other-7, P007, U0, U1"), ("P00%", "did you mean 'P007'?"),
    ]) func anUnknownNameIsAnsweredWithTheKnownOnes(id: String, remedy: String) async throws {
        let lab = try await filled()
        for words in [[], ["--yes"]] {
            let error = await #expect(throws: CommandError.self) {
                try await Command.parse([id, "--data", lab.directory] + words).run()
            }
            #expect(error?.explanation.cause == "\(lab.directory) holds nothing of \(id)")
            #expect(error?.explanation.remedy == remedy)
        }
        #expect(try files(with: Self.answer, in: lab).contains("receiver.sqlite"))
    }

    /// In other Unicode characters it is another name for SQLite.
    @Test(arguments: [("Zo\u{EB}", "Zoe\u{308}"), ("Zoe\u{308}", "Zo\u{EB}")])
    func aNameThatLooksTheSameIsAskedFor(known: String, typed: String) async throws {
        let lab = try LabFixture()
        try await lab.post(known)
        for words in [[], ["--yes"]] {
            let error = await #expect(throws: CommandError.self) {
                try await Command.parse([typed, "--data", lab.directory] + words).run()
            }
            let remedy = error?.explanation.remedy ?? ""
            #expect(Array(remedy.utf8) == Array("did you mean '\(known)'?".utf8))
        }
        try await erase(known, lab)
        #expect(try erasure(of: known, lab).survey() == [])
    }

    /// The code went with the revocation, and nothing else was theirs.
    @Test func whoHadACodeAloneIsErasedAfterACrash() async throws {
        let lab = try LabFixture()
        let keys = try DeviceKeys(.file(lab.directory + "/devices.sqlite"))
        _ = try await keys.giveCodes(to: ["P7"], until: LabFixture.now)
        try await keys.revoke("P7", at: LabFixture.now)
        let error = await #expect(throws: CommandError.self) {
            try await Command.parse(["P7", "--data", lab.directory]).run()
        }
        #expect(error?.explanation.remedy == "--yes closes the name")
        try await erase("P7", lab)
        #expect(try erasure(of: "P7", lab).erasedAt() != nil)
    }

    @Test func oneNameInSeveralStudiesMayBeTwoPeople() async throws {
        let lab = try LabFixture()
        try await lab.post("P007")
        #expect(try LabCensus.studies(of: "P007", in: lab.directory).names == [LabFixture.study])
        try await lab.post("P007", study: "another")
        try await lab.post(Self.other, study: "a third")
        #expect(try LabCensus.studies(of: "P007", in: lab.directory).names == [LabFixture.study, "another"])
        try await Command.parse(["P007", "--data", lab.directory]).run()
        let error = await #expect(throws: CommandError.self) {
            try await Command.parse(["P007", "--data", lab.directory, "--yes"]).run()
        }
        #expect(error?.explanation.cause.hasPrefix("P007 is in the studies \(LabFixture.study), another, ") == true)
        #expect(try erasure(of: "P007", lab).erasedAt() == nil)
        try await erase("P007", lab)
        #expect(try erasure(of: "P007", lab).survey() == [])
        try await Command.parse([Self.other, "--data", lab.directory, "--yes"]).run()
        #expect(try erasure(of: Self.other, lab).erasedAt() != nil)
    }

    /// Archives of SageResearch name no study.
    @Test(arguments: [true, false]) func whoSentArchivesAloneMayBeInAnyStudy(isAlone: Bool) async throws {
        let lab = try LabFixture()
        for study in [LabFixture.study, "another"] {
            try await lab.post(Self.other, study: study)
            if !isAlone { try await lab.post("P007", study: study) }
        }
        try await lab.sage([1, 2, 3], of: "P007")
        let error = await #expect(throws: CommandError.self) {
            try await Command.parse(["P007", "--data", lab.directory, "--yes"]).run()
        }
        let words = "P007 \(isAlone ? "may be" : "is") in the studies \(LabFixture.study), another, where it may be"
        #expect(error?.explanation.cause.hasPrefix(words) == true, "\(error?.explanation.cause ?? "")")
    }

    @Test func aNameHasAtLeastOneCharacter() {
        #expect(throws: (any Error).self) { try Command.parse([""]) }
        #expect((try? Command.parse(["x"])) != nil)
    }

    /// Who may look may do so; who deletes waits.
    @Test(arguments: [("lock", "is running with this data folder"), ("mirror-lock", "is being fetched into it")])
    func anotherProgramOnTheFolderKeepsItOut(name: String, words: String) async throws {
        let lab = try await filled()
        let lock = try FolderLock(
            "\(lab.directory)/\(name)", of: lab.directory, taken: "", remedy: "", isShared: name == "mirror-lock")
        try await Command.parse(["P007", "--data", lab.directory]).run()
        let error = await #expect(throws: FileError.self) { try await erase("P007", lab) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        #expect(try files(with: Self.answer, in: lab).contains("receiver.sqlite"))
        lock.release()
        try await erase("P007", lab)
        try checkNothingIsLeft(of: "P007", lab)
    }

    /// A short name is known where the key is forgotten, and both lead to the runs.
    @Test(arguments: [false, true]) func whoHasLeftMyStudiesIsKnownByBothNames(isShort: Bool) async throws {
        let lab = try LabFixture()
        let store = try MyStudiesStore(.file(lab.directory + "/mystudies.sqlite"))
        for key in ["key-1", "key-2"] {
            _ = try await store.enroll(key, study: "EXAMPLE", token: nil, sharing: "NA", at: LabFixture.now)
            let enrolled = try #require(try await store.participant(key))
            _ = try await store.keep(
                run: Array("{}".utf8), of: enrolled.id, activity: "Diary", version: "1.0", at: LabFixture.now)
            try await store.withdraw(enrolled.id, forgetsKey: true, deletes: false, at: LabFixture.now)
        }
        try await erase(isShort ? MyStudiesShortName.of("key-1") : "key-1", lab)
        #expect(try await store.runs().map(\.short) == [MyStudiesShortName.of("key-2")])
    }

    /// By the short name alone their states would stay.
    @Test func whoHasLeftWithStatesIsErasedByTheKey() async throws {
        let lab = try await filled("key-1")
        let store = try MyStudiesStore(.file(lab.directory + "/mystudies.sqlite"))
        let enrolled = try #require(try await store.participant("key-1"))
        try await store.withdraw(enrolled.id, forgetsKey: true, deletes: false, at: LabFixture.now)
        // A number is no participant's key.
        try await store.keep(
            userState: .members(["participantId": .int(7)]), of: "U9", study: "EXAMPLE", activity: "")
        let short = MyStudiesShortName.of("key-1")
        let error = await #expect(throws: CommandError.self) { try await erase(short, lab) }
        #expect(error?.explanation.cause == "\(short) is short for key-1")
        try await erase("key-1", lab)
        #expect(try files(with: Self.answer, in: lab) == [])
        #expect(try await store.userStates().count == 3, "of the other two, and the number")
    }

    /// A later version may keep what is theirs elsewhere, too.
    @Test func aDatabaseOfALaterVersionIsRefusedAndStaysAsItIs() async throws {
        let lab = try await filled()
        let stores = erasure(of: "P007", lab).stores
        for store in stores {
            let connection = try Connection(.file("\(lab.directory)/\(store.file)"))
            try connection.execute("PRAGMA user_version = \(store.version + 1)")
            await #expect(throws: DatabaseVersionError.self, "\(store.file)") { try await erase("P007", lab) }
            try connection.execute("PRAGMA user_version = \(store.version)")
        }
        #expect(try files(with: Self.answer, in: lab).contains("receiver.sqlite"))
        #expect(try await !DeviceKeys(.file(lab.directory + "/devices.sqlite")).isRevoked("P007"))
    }

    /// Whose `visitor` is, no row says.
    @Test func anotherAccountsArchivesAreNamed() async throws {
        let lab = try await filled()
        let database = try Connection(.file(lab.directory + "/bridge.sqlite"))
        try database.run("INSERT INTO archive VALUES ('2.zip', 'visitor', 9)")
        #expect(try erasure(of: "P007", lab).accounts() == ["visitor"])
        #expect(try erasure(of: "visitor", lab).accounts() == [])
        let command = try Command.parse(["P007", "--data", lab.directory])
        #expect(command.remark(on: []) == nil)
        let said = try #require(command.remark(on: ["visitor"]))
        #expect(said.contains("from the accounts visitor;") && said.contains("that of P007, 'study-receiver erase "))
        let many = try #require(command.remark(on: (1...11).map { "a\($0)" }))
        #expect(many.contains("a10 and 1 more;") && !many.contains("a11"))
    }

    /// The log keeps what was deleted; the server has the databases open.
    @Test func aLogThatIsEmptiedHasNothingThatWasDeleted() async throws {
        let lab = try await filled()
        let path = lab.directory + "/mystudies.sqlite"
        let store = try MyStudiesStore(.file(path))
        for deletes in [false, true] {
            let id = try #require(try await store.participant(deletes ? "P007" : Self.other)?.id)
            try await store.withdraw(id, forgetsKey: true, deletes: deletes, at: LabFixture.now)
            #expect(try BoundedFile.read(path + "-wal").isEmpty == deletes)
        }
        try await store.begin(session: [9], user: "U0", at: LabFixture.now, forgetting: .epoch)
        #expect(try !BoundedFile.read(path + "-wal").isEmpty)
        erasure(of: "", lab).emptyLogs()
        #expect(try BoundedFile.read(path + "-wal").isEmpty)
        #expect(try await store.session([9])?.user == "U0")
    }

    /// Made before there were codes.
    @Test func namesOfAnEarlierFolderAreRead() async throws {
        let lab = try LabFixture()
        try await DeviceKeys(.file(lab.directory + "/devices.sqlite")).revoke("P1", at: .epoch)
        try Connection(.file(lab.directory + "/devices.sqlite")).execute("DROP TABLE code")
        #expect(try erasure(of: "P2", lab).names() == ["P1"])
    }
}
