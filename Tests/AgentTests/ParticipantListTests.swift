// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Study
import SystemKit
import Testing

@testable import Agent

@Suite struct ParticipantListTests {
    private func list(_ text: String) throws -> ParticipantList {
        try ParticipantList(parsing: Array(text.utf8), file: "list.csv")
    }

    private func mistakes(_ text: String) -> [Explanation] {
        do {
            _ = try list(text)
            return []
        } catch { return (error as? ListMistakes)?.all ?? [Explanation(error)] }
    }

    @Test(arguments: [
        ("participant,study,board\nP1,s.json,\n", "line 2, column 'board'", "is missing"),
        ("participant,study,board\nP1,s,b\np1,s,b\n", "line 3, column 'participant'", "already in line 2"),
        ("participant,study,board\nP/1,s,b\n", "line 2, column 'participant'", "does not name a folder"),
        ("participant,study,board,zone\nP1,s,b,Europe/Berln\n", "line 2, column 'zone'", "Europe/Berln"),
        ("participant,study,board,token\nP1,s,b,ABCDEFGHZ\n", "line 2, column 'token'", "invalid token"),
        (
            "participant,study,board,access-key\nP1,s,b,1key\n", "line 2, column 'access-key'",
            "copy it from the study's QR"
        ),
        ("participant,study,board,hold_times\nP1,s,b,long\n", "line 2, column 'hold_times'", "'long'"),
        ("participant,study,board,language\nP1,s,b,klingon\n", "line 2, column 'language'", "no words in 'klingon'"),
        ("participant,study,board,receiver\nP1,s,b,lab:8080\n", "line 2, column 'receiver'", "not an address"),
        ("participant,study,board,receiver\nP1,s,b,https://\n", "line 2, column 'receiver'", "not an address"),
        ("participant,study,board,wifi\nP1,s,b,lab\n", "line 2, column 'wifi_password'", "is missing"),
        (
            "participant,study,board,wifi,wifi_password\nP1,s,b,lab,1234567\n", "line 2, column 'wifi_password'",
            "8 to 63"
        ),
        ("particpant,study,board\nP1,s,b\n", "line 1, column 'particpant'", "unknown column"),
        ("participant,study,board,zone,Zone\nP1,s,b,UTC,UTC\n", "line 1, column 'zone'", "two columns of that name"),
        ("participant,study,board\n\"a\nb\",s,b\nP2,s,\n", "line 2, column 'participant'", "does not name"),
        ("participant,study,board\nP1,s,b,more\n", "line 2", "more fields"),
        ("participant,study,board\n", "list.csv", "no participant"),
    ])
    func everyMistakeNamesLineAndColumn(_ text: String, _ place: String, _ words: String) {
        let found = mistakes(text)
        #expect(found.first?.place?.contains(place) == true, "\(found)")
        #expect(found.contains { $0.description.contains(words) }, "\(found)")
    }

    /// Windows makes no folder whose name ends with a dot (Microsoft, "Naming Files, Paths, and Namespaces"), and
    /// what begins with one is hidden on the others.
    @Test(arguments: [
        ("P1", true), ("P.1_a-B", true), ("P", true), (String(repeating: "P", count: 64), true),
        (String(repeating: "P", count: 65), false), (".P1", false), ("P1.", false), (".", false), ("..", false),
        ("P 1", false), ("P1é", false), ("P\\1", false), ("P:1", false),
    ])
    func aParticipantsNameIsThatOfAFolder(name: String, isOne: Bool) {
        let found = mistakes("participant,study,board\n\(name),s,b\n")
        #expect(found.isEmpty == isOne, "\(found)")
        #expect(found.allSatisfy { $0.description.contains("does not name a folder") }, "\(found)")
    }

    @Test func allMistakesAreFoundAtOnce() {
        #expect(mistakes("participant,study,board\n,s,\nP1,s,b\nP1,,b\n").count == 3)
    }

    /// The folder that is made is one that is taken over: written by one, read by the other.
    @Test func aRowBecomesAFolderThatADeviceReads() throws {
        let entry = try #require(
            list(
                "participant,study,board,receiver,zone,hold_times,language,token\nP1,https://s.example,b,https://l.example,Asia/Kolkata,slow,de-AT,ABCDEFGHI\n"
            )
            .entries.first)
        let lab = try AgeRecipient("age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p")
        let folder = DeviceFolder(
            entry, study: nil, board: nil, consent: Array(TakeoverFixture.consent.utf8),
            key: try #require(DeviceKey(seed: Array(0..<32))), encryptedTo: [lab])
        let files = Dictionary(uniqueKeysWithValues: folder.files.map { ($0.path, $0.bytes) })
        #expect(files.keys.sorted() == ["studyd/consent.json", "studyd/setup.toml"])
        let setup = try SetupFile(parsing: #require(files["studyd/setup.toml"]))
        #expect(setup.participant == "P1" && setup.study == "https://s.example" && setup.board == "b")
        #expect(setup.receiver == "https://l.example" && setup.zone == "Asia/Kolkata" && setup.holdTimes == .slow)
        #expect(setup.language == "de-AT" && setup.recipients == [lab])
        #expect(setup.arguments["token"] == "ABCDEFGHI" && setup.consent == "consent.json")
        // Python: base64.urlsafe_b64encode(bytes(range(32))); the public key by OpenSSL 3.0.
        #expect(setup.deviceKey == "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8")
        #expect(folder.keyLine == "P1,03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8")
    }

    /// Excel in countries that write 1,5 saves semicolons, and all of them CR LF and a mark.
    @Test func whatSpreadsheetsSaveIsReadAsPythonReadsIt() throws {
        let text =
            "\u{FEFF}Participant; study ;board;wifi;wifi_password\r\nP1;\"a;b\";\"say \"\"so\"\"\";\" lab\";12345678\r\n;;;;\r\n"
        let entry = try #require(list(text).entries.first)
        #expect(entry.study == "a;b" && entry.board == "say \"so\"")
        #expect(entry.wifi?.text.contains("\" lab\":") == true)
    }

    /// Also at the end of a line.
    @Test(arguments: ["", " ", "\t", " \t", "\t "]) func whiteSpaceAroundAFieldIsNoPartOfIt(space: String) throws {
        let text = ["participant", "study", "board"].map { space + $0 + space }.joined(separator: ",")
        let entry = try #require(
            list(text + "\n" + ["P1", "a b", "b"].joined(separator: space + "," + space) + space + "\n").entries.first)
        #expect(entry.participant == "P1" && entry.study == "a b" && entry.board == "b")
    }

    /// What Excel for Mac calls CSV (Macintosh).
    @Test func aLineMayEndWithCarriageReturnAlone() throws {
        let entries = try list("Participant,study,board\rP1,a,keypad\rP2,b,keypad\r").entries
        #expect(entries.map(\.participant) == ["P1", "P2"] && entries.map(\.study) == ["a", "b"])
    }

    /// RFC 4180 §2: CRLF ends a line, and one within quotation marks belongs to the field. Editors count lines
    /// so, too, whatever ends them.
    @Test(arguments: ["\n", "\r\n", "\r"]) func aRowHasTheLineOfAnEditor(end: String) throws {
        let text = ["a;b", "1;2", "", "3;\"two\(end)lines\"", "5;6"].joined(separator: end) + end
        let table = try SeparatedTable(parsing: Array(text.utf8), file: "t.csv")
        #expect(table.columns == ["a", "b"] && table.rows.map(\.line) == [2, 4, 6])
        let kept = end == "\r" ? "\n" : end
        #expect(table.rows.map { table.value("b", in: $0) } == ["2", "two\(kept)lines", "6"])
    }

    /// Python's csv module reads the same table.
    @Test func tablesAreReadAsAnotherProgramReadsThem() throws {
        let text = "a,b,c\n1,\"x, y\",\"two\nlines\"\n\"say \"\"so\"\"\",,last\n"
        let script =
            "import csv,sys,io\nfor r in list(csv.reader(io.StringIO(sys.stdin.read())))[1:]: print('|'.join(r).replace('\\n','~'))"
        let (status, output) = try BoundedProgram(name: "python3", arguments: ["-c", script]).run(
            input: Array(text.utf8), limit: .seconds(60))
        #expect(status == 0)
        let table = try SeparatedTable(parsing: Array(text.utf8), file: "t.csv")
        let ours = table.rows.map { row in
            ["a", "b", "c"].map { table.value($0, in: row) ?? "" }.joined(separator: "|").replacing("\n", with: "~")
        }
        #expect(ours == output.split(separator: "\n").map(String.init))
        #expect(table.rows.map(\.line) == [2, 4])
    }
}
