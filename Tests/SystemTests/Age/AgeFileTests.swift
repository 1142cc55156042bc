// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Testing

@testable import SystemKit

@Suite struct AgeFileTests {
    private static let chunk = AgeWriter.chunk + AgeWriter.overhead

    private func identity(_ seed: UInt8) throws -> AgeIdentity {
        try #require(AgeIdentity(secret: [UInt8](repeating: seed, count: 32)))
    }

    private func content(_ length: Int) -> [UInt8] {
        (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 >> 9) }
    }

    /// Every byte with STUDYD_EVERY_CUT=1; otherwise those around the ends of chunks, and each 61st.
    private func cuts(_ start: Int, _ end: Int) -> [Int] {
        let isEvery = getenv("STUDYD_EVERY_CUT") != nil
        return (start...end).filter { cut in
            isEvery || cut % 61 == 0 || [start, start + Self.chunk, end].contains { abs($0 - cut) < 40 }
        }
    }

    @Test(.timeLimit(.minutes(10))) func aFileThatIsCutAnywhereOpensUpToItsLastWholeChunk() throws {
        let lab = try identity(9)
        let content = content(3 * AgeWriter.chunk)
        let whole = try AgeWriter.encrypt(content, to: [lab.recipient])
        let start = whole.count - 2 * Self.chunk
        for cut in cuts(start, whole.count) {
            let reader = try AgeReader(
                { count, offset in Array(whole[min(cut, offset)..<min(cut, offset + count)]) }, [lab])
            var opened = 0
            var fault: AgeFault?
            do throws(AgeFault) {
                while let piece = try reader.next() {
                    // `==` of arrays, element by element, would take a minute in a debug build.
                    let isSame = content[opened...].withUnsafeBytes { rest in
                        rest.baseAddress.map { memcmp(piece, $0, min(piece.count, rest.count)) == 0 }
                    }
                    #expect(isSame == true)
                    opened += piece.count
                }
            } catch { fault = error }
            let chunks = cut == whole.count ? 3 : 1 + (cut - start) / Self.chunk
            #expect(opened == chunks * AgeWriter.chunk, "\(cut)")
            #expect(fault == (cut == whole.count ? nil : .cut(at: opened)), "\(cut)")
        }
    }

    @Test func chunksCannotChangePlaces() throws {
        let lab = try identity(4)
        var sealed = try AgeWriter.encrypt(content(3 * AgeWriter.chunk + 5), to: [lab.recipient])
        let start = sealed.count - 3 * Self.chunk - 5 - AgeWriter.overhead
        let first = Array(sealed[start..<(start + Self.chunk)])
        sealed.replaceSubrange(
            start..<(start + Self.chunk), with: sealed[(start + Self.chunk)..<(start + 2 * Self.chunk)])
        sealed.replaceSubrange((start + Self.chunk)..<(start + 2 * Self.chunk), with: first)
        let reader = try AgeReader(sealed, [lab])
        #expect(throws: AgeFault.damaged(at: 0)) { try reader.next() }
    }

    @Test func onlyRecipientsOpenIt() throws {
        let (lab, board, other) = (try identity(1), try identity(2), try identity(3))
        let sealed = try AgeWriter.encrypt([1, 2, 3], to: [lab.recipient, board.recipient])
        #expect(try AgeReader.open(sealed, [lab]) == [1, 2, 3])
        #expect(try AgeReader.open(sealed, [other, board]) == [1, 2, 3])
        #expect(throws: AgeFault.noMatch) { try AgeReader.open(sealed, [other]) }
        #expect(throws: AgeFault.noMatch) { try AgeReader.open(sealed, []) }
    }

    /// The same content never makes the same bytes: file key, nonce and share are new each time.
    @Test func noTwoFilesAreAlike() throws {
        let lab = try identity(1)
        let (one, two) = (
            try AgeWriter.encrypt([1], to: [lab.recipient]), try AgeWriter.encrypt([1], to: [lab.recipient])
        )
        #expect(one.count == two.count && one != two)
        #expect(!String(decoding: one, as: UTF8.self).contains("\(lab.recipient)"))
    }

    /// 168 bytes of header for one recipient, 16 of nonce, 16 for each chunk, as age has it.
    @Test(arguments: [(0, 200), (1, 201), (65_536, 65_736), (65_537, 65_753), (200_000, 200_248)])
    func itIsAsLongAsAgesOwn(length: Int, sealed: Int) throws {
        #expect(try AgeWriter.encrypt(content(length), to: [try identity(1).recipient]).count == sealed)
    }

    /// C2SP age.md: chunks of 64 KiB, of which the last may be full; 16 bytes more each, behind 184.
    @Test func aChunkIsGivenOutWhenMoreFollows() throws {
        let lab = try identity(1)
        let writer = try AgeWriter(to: [lab.recipient])
        var (all, out): ([UInt8], [UInt8]) = ([], [])
        for (length, waiting, chunks) in [
            (0, 0, 0), (1, 1, 0), (65_535, 65_536, 0), (0, 65_536, 0), (1, 1, 1), (65_536, 1, 2),
            (131_071, 65_536, 3), (1, 1, 4), (200_000, 3393, 7),
        ] {
            let bytes = content(length)
            try writer.append(bytes, to: &out)
            all += bytes
            #expect(writer.pendingCount == waiting && writer.encryptedCount == chunks * 65_536, "\(all.count)")
            #expect(out.count == 184 + chunks * 65_552, "\(all.count)")
        }
        try writer.finish(to: &out)
        #expect(writer.pendingCount == 0 && out.count == 184 + all.count + 8 * 16)
        #expect(try AgeReader.open(out, [lab]) == all)
    }

    /// What age-keygen(1) writes: comments, then a key on its line.
    @Test func identitiesAreReadLineByLine() throws {
        let (one, two) = (try identity(1), try identity(2))
        let texts: [(text: String, found: [AgeIdentity]?)] = [
            ("", nil), ("\n\n", nil), ("# public key: age1\n", nil), ("\(one.text)", [one]),
            ("# created: today\n# public key: \(one.recipient)\n\(one.text)\n", [one]),
            ("\(one.text)\r\n\(two.text)\r\n", [one, two]), ("\n  \(two.text)\t\n\n\(one.text)", [two, one]),
            (one.text.lowercased(), [one]), ("\(one.text)\nhello\n", nil), ("\(one.text) \(two.text)", nil),
            ("\(one.recipient)", nil), ("#\(one.text)", nil),
        ]
        for (text, found) in texts { #expect((try? AgeIdentity.all(in: text)) == found, "\(text.debugDescription)") }
    }

    /// By the lengths above: 184 bytes before the first chunk. Of a file that ends early as much as can be in it.
    @Test func theLengthOfTheContentFollowsFromThatOfTheFile() throws {
        let path = "/tmp/studyd-age-length-\(getpid())"
        defer { unlink(path) }
        let sealed = try AgeWriter.encrypt(content(140_000), to: [try identity(1).recipient])
        for (size, length) in [
            (168, 0), (184, 0), (199, 0), (200, 0), (201, 1), (65_735, 65_535), (65_736, 65_536), (65_737, 65_536),
            (65_752, 65_536), (65_753, 65_537), (131_288, 131_072), (131_305, 131_073), (sealed.count, 140_000),
        ] {
            try AtomicFile.write(Array(sealed[..<size]), to: path)
            #expect(try AgeReader.contentLength(of: File(path, .read)) == length, "\(size)")
        }
    }

    /// C2SP age.md: "wrapped at exactly 64 columns", and a last line that is shorter, if need be empty.
    @Test func theBodyOfARecipientHasItsColumns() {
        func digits(_ count: Int) -> String { String(repeating: "A", count: count) }
        let bodies: [(lines: [String], count: Int?)] = [
            ([""], 0), ([digits(2)], 1), ([digits(63)], 47), ([digits(64), ""], 48), ([digits(64), digits(3)], 50),
            ([digits(64), digits(64), ""], 96), ([digits(64)], nil), ([digits(66), ""], nil), ([digits(68), ""], nil),
            ([digits(68)], nil), (["", ""], nil), ([digits(3), digits(3)], nil), (["AB"], nil), (["AA=="], nil),
        ]
        for (lines, count) in bodies {
            let text = "age-encryption.org/v1\n-> X25519 a\n\(lines.map { $0 + "\n" }.joined())--- \(digits(43))\n"
            let header = try? AgeHeader(Array(text.utf8))
            #expect(header?.stanzas.map(\.body.count) == count.map { [$0] }, "\(lines)")
            #expect(header.map(\.length) == count.map { _ in text.utf8.count }, "\(lines)")
        }
    }

    @Test(arguments: [
        ("age1", "copy the line"), ("", "copy the line"), ("hello", "copy the line"),
        ("age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kdyxrydjq2fgjhk", "copy the line"),
        ("AGE1QL3Z7HJY54PW3HYWW5AYYFG7ZQGVC7W3J2ELW8ZMRJ2KDYXRYDJQ2FGJHN", "copy the line"),
        ("age1pq1qqqq", "age1 and 58"), ("ssh-ed25519 AAAA", "age1 and 58"),
        ("AGE-SECRET-KEY-1EGTZVFFV20835NWYV6270LXYVK2VKNX2MMDKWYKLMGR48UAWX40Q2P2LM0", "must not be on a device"),
        (
            "\"AGE-SECRET-KEY-1EGTZVFFV20835NWYV6270LXYVK2VKNX2MMDKWYKLMGR48UAWX40Q2P2LM0\"",
            "must not be on a device"
        ),
        (
            " age-secret-key-1egtzvffv20835nwyv6270lxyvk2vknx2mmdkwyklmgr48uawx40q2p2lm0",
            "must not be on a device"
        ),
    ])
    func whatIsNoRecipientIsRefusedWithARemedy(text: String, word: String) {
        #expect {
            try AgeRecipient(text)
        } throws: { error in
            let said = "\(error)"
            return said.contains(word) && !said.uppercased().contains("2P2LM0")
        }
    }

    /// RFC 5869, test case 3; the first 32 of its bytes.
    @Test func thePublishedKeyIsDerived() throws {
        let key = try KeyDerivation.sha256([UInt8](repeating: 0x0B, count: 22), salt: [], info: "")
        #expect(key.hexadecimal == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d")
    }

    /// 256 KiB: 43 679 recipients of six bytes each, between the 22 of the version and the 48 of the last line.
    @Test func aHeaderThatIsLongerThanItMayBeIsRefused() throws {
        func file(_ first: String) -> [UInt8] {
            let rest = String(repeating: "-> a\n\n", count: 43_678)
            return Array("age-encryption.org/v1\n\(first)\(rest)--- \(String(repeating: "A", count: 43))\n".utf8)
        }
        let (longest, longer) = (file("-> a\n\n"), file("-> aa\n\n"))
        #expect(longest.count == AgeHeader.largest && AgeHeader.largest == 262_144)
        #expect(throws: AgeFault.noMatch) { try AgeReader(longest, []) }
        #expect(throws: AgeFault.header("its header is too long")) { try AgeReader(longer, []) }
        #expect(throws: AgeFault.header("its header is truncated")) { try AgeReader(Array(longest.dropLast()), []) }
    }
}
