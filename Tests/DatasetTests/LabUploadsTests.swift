// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Dataset

/// Two recordings of one name: a number is given once more where a card lost the newest of its files.
struct LabUploadsTests {
    /// FIPS 180-4's examples of SHA-256.
    private static let examples = [
        "abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq":
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    ]

    private static func record(of lab: LabFixture) async throws -> ParticipantRecord {
        try await lab.post()
        let folder = try LabFolder(lab.directory, study: nil)
        return try folder.record(of: try #require(folder.participants.first))
    }

    @Test(arguments: [["abc", examples.keys.max() ?? ""], [examples.keys.max() ?? "", "abc"]])
    func ofTwoOfOneNameEachHasItsOwnDescription(contents: [String]) async throws {
        let lab = try LabFixture()
        for text in contents { try await lab.record(bytes: Array(text.utf8)) }
        let record = try await Self.record(of: lab)
        #expect(Set(record.recordings.compactMap(\.description?.sha256)) == Set(Self.examples.values))
        #expect(record.recordings.allSatisfy { $0.description?.sha256 == $0.sha256 })
        #expect(record.issues.allSatisfy { $0.kind == .noReports } && record.missing.isEmpty, "\(record.issues)")
    }

    /// Of the second its description alone has come.
    @Test func aDescriptionOfAnotherOfItsNameIsThatOfAFileThatIsMissing() async throws {
        let lab = try LabFixture()
        try await lab.record(bytes: Array("abc".utf8))
        let described = try await Self.record(of: lab).recordings.first?.description
        var other = try #require(described)
        other.sha256 = Self.examples.values.first { $0 != other.sha256 } ?? ""
        try await lab.upload("000001-magnetometer.json", Array(other.json.indentedText.utf8))
        let record = try await Self.record(of: lab)
        #expect(record.recordings.map(\.description?.sha256) == [Self.examples["abc"]])
        #expect(record.missing.map(\.sha256) == [other.sha256])
        #expect(record.missing.map(\.state) == ["only its description is here"])
    }

    @Test func whatFitsNoneGoesByTheNameAndIsNamed() async throws {
        let lab = try LabFixture()
        try await lab.record(bytes: Array("abc".utf8)) { $0.sha256 = String(repeating: "0", count: 64) }
        let record = try await Self.record(of: lab)
        #expect(record.recordings.first?.description != nil && record.missing.isEmpty)
        #expect(record.issues.filter { $0.kind != .noReports }.map(\.kind) == [.unreadable])
    }

    /// Where the folder holds one study, it is of that; where it holds several, it is in the dataset of none.
    @Test(
        arguments: [
            (false, 1, nil), (true, 0, nil), (true, 1, "000001-magnetometer.csv"),
            (true, 2, "2 files, 000001-magnetometer.csv among them,"),
        ] as [(Bool, Int, String?)])
    func whatNamesNoStudyIsNamedWhereThereAreSeveral(hasOther: Bool, files: Int, words: String?) async throws {
        let lab = try LabFixture()
        try await lab.post()
        if hasOther { try await lab.post(study: "OTHER") }
        for number in (1...2).prefix(files) {
            try await lab.upload(
                "00000\(number)-magnetometer.csv", [UInt8(number)], study: nil, recording: "\(number)")
        }
        let folder = try LabFolder(lab.directory, study: LabFixture.study)
        let said = folder.issues.filter { $0.kind == .strangeFile }
        #expect(
            said.map(\.text)
                == (words.map { ["\($0) came without the name of a study, of which there are several here"] } ?? []))
        #expect(said.allSatisfy { $0.participant == "P1" })
        let record = try folder.record(of: try #require(folder.participants.first))
        #expect(record.recordings.count == (hasOther ? 0 : files))
    }
}
