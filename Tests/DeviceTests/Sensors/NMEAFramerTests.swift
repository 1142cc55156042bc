// SPDX-License-Identifier: Apache-2.0
import Device
import Testing

@Suite struct NMEAFramerTests {
    static let sentence = "$GPGLL,,,,,,V,N*64\r\n"

    static func sentences(_ bytes: some Sequence<UInt8>) -> [String] {
        var framer = NMEAFramer()
        var found: [String] = []
        framer.append(Array(bytes)) { found.append(String($0.body.prefix { $0 != "," })) }
        return found
    }

    /// A UBX frame with Fletcher's checksum over class to payload, as u-blox' interface
    /// description has it.
    static func ubx(_ payload: [UInt8], spoiled: Bool = false) -> [UInt8] {
        let body = [0x0A, 0x04, UInt8(payload.count & 0xFF), UInt8(payload.count >> 8)] + payload
        var (first, second) = (UInt8(0), UInt8(0))
        for byte in body {
            first &+= byte
            second &+= first
        }
        return [0xB5, 0x62] + body + [first, spoiled ? second ^ 1 : second]
    }

    @Test(arguments: [
        ("$GPGLL,,,,,,V,N*64\r\n", ["GPGLL"]), ("$GPGLL,,,,,,V,N*64\n", ["GPGLL"]), ("$GPGLL,,,,,,V,N*65\n", []),
        ("$GPGLL,,,,,,V,N\n", []), ("7,N*3C\r\n$GPGLL,,,,,,V,N*64\n", ["GPGLL"]),
        ("$GPG$GPGLL,,,,,,V,N*64\n", ["GPGLL"]),
        ("$GPGLL,,,,,,V,N*64\r$GPRMC*4B\r", ["GPGLL", "GPRMC"]), ("$GPGLL,,,,,,V,N*64  \r\n", ["GPGLL"]),
        ("$GPGLL,,,,,,V,N*64$GPGLL,,,,,,V,N*64\n", ["GPGLL", "GPGLL"]), ("$GPGLL,,,,,,V,n*44\n", ["GPGLL"]),
        ("$GPTXT,a*b*4A\n", ["GPTXT"]), ("$GPTXT,*", []), ("$GPGLL,,,,,,V,N*6\n", []), ("$GPGLL,,,,,,V,N*064\n", []),
        ("$GPGLL,,,,,,V,N*64\n$GPGLL,,,,,,V,NX64\n", ["GPGLL"]), ("$GPGLL,,,,,,V,N*64", []),
        ("$PUBX,00*33\n", ["PUBX"]), ("$*00\n$\n$,*2C\n", []), ("$STI,IC,error=4\n", []),
    ])
    func sentencesAreFound(text: String, expected: [String]) {
        #expect(Self.sentences(text.utf8) == expected)
    }

    @Test func longSentencesAreTakenAndEndlessOnesAreNot() {
        func line(_ count: Int) -> [UInt8] {
            let body = [UInt8]("GPTXT,".utf8) + [UInt8](repeating: 0x41, count: count)
            let sum = String(body.reduce(0, ^), radix: 16, uppercase: true)
            return [0x24] + body + Array("*\(sum.count == 1 ? "0" + sum : sum)\n".utf8)
        }
        #expect(Self.sentences(line(300)) == ["GPTXT"])
        #expect(Self.sentences(line(600) + Array(Self.sentence.utf8)) == ["GPGLL"])
    }

    @Test func textInBinaryFramesIsNoSentence() {
        var framer = NMEAFramer()
        framer.append(Self.ubx(Array(Self.sentence.utf8)) + Array(Self.sentence.utf8)) { _ in }
        #expect(framer.sentences == 1)
        #expect(framer.binaryFrames == 1)
        #expect(
            Self.sentences(Self.ubx([]) + [0xB5] + Self.ubx([0x24, 0xB5, 0x62]) + Array(Self.sentence.utf8)) == [
                "GPGLL"
            ])
    }

    /// The length is 16 bits, the lower eight first; of receivers' messages none is longer than 8 KiB.
    @Test(arguments: [(20, true), (255, true), (256, true), (257, true), (8192, true), (8193, false)])
    func aFrameIsAsLongAsItsHeadSays(count: Int, isFrame: Bool) {
        let text = Array(Self.sentence.utf8)
        var framer = NMEAFramer()
        framer.append(Self.ubx([UInt8](repeating: 0, count: count - text.count) + text)) { _ in }
        #expect(framer.binaryFrames == (isFrame ? 1 : 0))
        #expect(framer.sentences == (isFrame ? 0 : 1))
    }

    /// Only what is no frame after all is broken text.
    @Test func aBrokenSentenceCountsWhereItsFrameDoesNot() {
        let torn = Array("$GPGLL,,,,,,V,N*65\r\n".utf8)
        for (isFirstSpoiled, isSecondSpoiled, broken) in [
            (false, false, 0), (true, false, 1), (false, true, 1), (true, true, 2),
        ] {
            var framer = NMEAFramer()
            framer.append(Self.ubx(torn, spoiled: isFirstSpoiled) + Self.ubx(torn, spoiled: isSecondSpoiled)) { _ in }
            #expect(framer.broken == broken)
            #expect(framer.sentences == 0)
        }
        var framer = NMEAFramer()
        framer.append(Self.ubx(torn) + Self.ubx(Array(Self.sentence.utf8), spoiled: true)) { _ in }
        #expect(framer.broken == 0)
        #expect(framer.sentences == 1)
        #expect(framer.binaryFrames == 1)
    }

    @Test func textInBrokenFramesIsReadAfterAll() {
        #expect(
            Self.sentences(Self.ubx(Array((Self.sentence + Self.sentence).utf8), spoiled: true)) == ["GPGLL", "GPGLL"])
        #expect(Self.sentences([0xB5, 0x62, 1, 1, 0xFF, 0xFF] + Array(Self.sentence.utf8)) == ["GPGLL"])
    }

    /// The same bytes cut at every place, and one by one, are the same sentences.
    @Test func cutsBetweenReadsChangeNothing() {
        let bytes = Array(
            "x$GPGLL,,,,,,V,N*64\r\n$GPRMC,172926.50,A,4404.14063,N,12118.85478,W,0.117,90.5,180315,,,A*7C\n".utf8)
        let all = bytes + Self.ubx(Array(Self.sentence.utf8)) + bytes + Self.ubx([0x24, 1, 2], spoiled: true) + bytes
        let whole = Self.bodies([all])
        #expect(whole.count == 6)
        for cut in all.indices { #expect(Self.bodies([Array(all[..<cut]), Array(all[cut...])]) == whole) }
        #expect(Self.bodies(all.map { [$0] }) == whole)
    }

    static func bodies(_ pieces: [[UInt8]]) -> [String] {
        var framer = NMEAFramer()
        var found: [String] = []
        for piece in pieces { framer.append(piece) { found.append($0.body) } }
        return found
    }

    @Test func fieldsBeyondTheLastAreAbsent() throws {
        let many = "PQTM" + String(repeating: ",7", count: 100)
        var fields: [String?] = []
        var framer = NMEAFramer()
        framer.append(NMEAEpochsTests.line(many)) { sentence in
            #expect(sentence.isProprietary && sentence.type == "QTM")
            fields = [0, 1, NMEASentence.fieldLimit - 1, NMEASentence.fieldLimit + 1, 500].map { sentence.field($0) }
        }
        #expect(fields == [nil, "7", "7", nil, nil])
    }

    @Test func brokenSentencesAreCounted() {
        var framer = NMEAFramer()
        framer.append(Array("$GPGLL,,,,,,V,N*65\n$GP\u{1}$GP$GPGLL,,,,,,V,N*64\r\n\r\n".utf8)) { _ in }
        #expect(framer.broken == 3)
    }
}
