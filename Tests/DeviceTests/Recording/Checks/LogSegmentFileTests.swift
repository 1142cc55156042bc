// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Device

/// Segments as docs/delivery.md has them, without a signature.
@Suite struct LogSegmentFileTests {
    /// A row without a body is sent as its seal.
    private typealias Row = (kind: String, body: String?)

    /// The rows from `first` on of the log that begins with these; every `old` becomes `new`, in the rows before
    /// their digest is taken.
    private static func segment(
        _ rows: [Row], from first: Int = 1, of log: String = "a", _ old: String = "-", _ new: String = "-"
    ) throws -> LogSegmentFile {
        var hashes = [[UInt8](repeating: 0, count: 32)]
        var lines: [String] = []
        for (index, row) in rows.enumerated() {
            let seal = try row.body.map { try FileDigest.sha256([0x0A, 0xF5] + Array($0.utf8)) } ?? "5ea1"
            let fields = ["\(index + 1)", "e", "5", "6", "b", "3600", row.kind, seal]
            let netstrings = fields.map { "\($0.utf8.count):\($0)," }.joined()
            hashes.append(try FileDigest.bytes(hashes[index] + Array(netstrings.utf8)))
            let body = row.body.map { #""salt":"0af5","body":\#(JSONText.string($0).text)"# } ?? #""seal":"5ea1""#
            lines.append(
                #"{"row":\#(index + 1),"enrolment":"e","wall":5,"monotonic":6,"boot":"b","offset":3600,"kind":"\#(row.kind)",\#(body)}"#
            )
        }
        let rest = ([#"{"prompts":[]}"#] + lines[(first - 1)...]).joined(separator: "\n").replacing(old, with: new)
        let (previous, hash) = (hashes[first - 1].hexadecimal, hashes[rows.count].hexadecimal)
        let digest = try FileDigest.sha256(Array(rest.utf8))
        let head =
            #"{"format":"studyd-log","version":1,"log":"\#(log)","first":\#(first),"last":\#(rows.count),"previous":"\#(previous)","hash":"\#(hash)","sha256":"\#(digest)"}"#
        return try LogSegmentFile(Array("\(head.replacing(old, with: new))\n\(rest)".utf8), of: "x.jsonl.gz")
    }

    private static let two: [Row] = [("k", nil), ("k", nil)]

    @Test func aRowIsReadAsItIsWritten() throws {
        let segment = try Self.segment([("k", #"{"a":1}"#), ("l", nil)])
        #expect(segment.numbers == 1...2 && segment.log == "a" && segment.key == nil)
        #expect(segment.rows.map(\.number) == [1, 2] && segment.rows.map(\.kind) == ["k", "l"])
        let bodies = segment.rows.map { $0.body?.text }
        #expect(bodies == [#"{"a":1}"#, nil] && segment.rows.last?.hash == segment.hash)
        for row in segment.rows {
            #expect(row.wall == 5 && row.monotonic == 6 && row.offset == 3600)
            #expect(row.boot == "b" && row.enrolment == "e")
        }
    }

    @Test(arguments: [
        ("studyd-log", "studyd", "is no segment of a log"),
        (#""version":1"#, #""version":2"#, "is no segment of a log"),
        (#""first":1"#, #""first":0"#, "its head lacks something"), (#""last":2"#, #""last":0"#, "its head lacks"),
        (#""last":2"#, #""last":9223372036854775807"#, "its head lacks"), (#""log":"#, #""lag":"#, "its head lacks"),
        (#""previous":"#, #""before":"#, "its head lacks"), (#""hash":"#, #""hush":"#, "its head lacks"),
        (#""sha256":"#, #""sha":"#, "its head lacks"), (#""sha256":""#, #""sha256":"0"#, "not those that were signed"),
        (#""row":2"#, "row:2", "a row is no JSON"), (#""kind":"#, #""kin":"#, "row 1 breaks the chain"),
        (#""seal":"#, #""seel":"#, "row 1 breaks the chain"), (#""first":1"#, #""first":2"#, "from 2 to 2"),
        (#""last":2"#, #""last":3"#, "from 1 to 3"), (#""row":2"#, #""row":1"#, "from 1 to 2"),
        (#""hash":""#, #""hash":"0"#, "its last row is not"), (#""wall":5"#, #""wall":4"#, "its last row is not"),
        (#""previous":"0"#, #""previous":"1"#, "its last row is not"),
    ])
    func aSegmentThatWasChangedSaysWhatIsWrong(_ old: String, _ new: String, _ problem: String) {
        let error = #expect(throws: FileError.self) { try Self.segment(Self.two, old, new) }
        #expect(String(describing: error).contains(problem), "\(String(describing: error))")
    }

    @Test func aCopyHasTheSameRowsOfTheSameLog() throws {
        let segment = try Self.segment(Self.two)
        #expect(try segment.isCopy(of: Self.segment(Self.two)))
        for other in try [
            Self.segment(Self.two, from: 2), Self.segment(Self.two, of: "b"),
            Self.segment([("k", nil), ("k", nil), ("k", nil)]), Self.segment([("k", nil), ("l", nil)]),
        ] {
            #expect(!segment.isCopy(of: other), "\(other.numbers) of \(other.log)")
        }
    }

    /// Where its time to be kept is over it was sent before.
    @Test(arguments: [("diskCap", false), ("retention", true)])
    func whatWasProducedIsExpectedUnlessItWasRemoved(reason: String, isExpected: Bool) throws {
        let first = try Self.segment([
            ("recordingSealed", #"{"recording":{"id":"1","path":"1.cwa","sha256":"aa"}}"#),
            ("queued", #"{"item":{"file":{"recording":"1","path":"1.json","sha256":"bb"}}}"#),
            ("queued", #"{"item":{"file":{"recording":"2","path":"2.json","sha256":"cc"}}}"#),
            ("queued", #"{"item":{"file":{"path":"3.json"}}}"#), ("queued", nil),
        ])
        let later = try Self.segment([("recordingRemoved", #"{"recording":"1","reason":"\#(reason)"}"#)])
        let produced = LogSegmentFile.produced(by: [first, later])
        #expect(produced.map(\.name) == ["1.cwa", "1.json", "2.json"])
        #expect(produced.map(\.sha256) == ["aa", "bb", "cc"])
        #expect(produced.map(\.isExpected) == [isExpected, isExpected, true])
    }

    @Test func onlyOccurrencesThatWereReturnedAreVoid() throws {
        let segment = try Self.segment([
            ("occurrencesReturned", #"{"occurrences":["a","b"]}"#), ("prompted", #"{"occurrences":["c"]}"#),
            ("occurrencesReturned", #"{"occurrences":["d"]}"#), ("occurrencesReturned", nil),
        ])
        #expect(segment.returned == ["a", "b", "d"])
    }
}
