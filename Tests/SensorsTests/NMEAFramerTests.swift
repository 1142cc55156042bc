// SPDX-License-Identifier: Apache-2.0
import Sensors
import Testing

@Suite struct NMEAFramerTests {
    static let sentence = "$GPGLL,,,,,,V,N*64\r\n"

    static func sentences(_ bytes: some Sequence<UInt8>) -> [String] {
        var framer = NMEAFramer()
        return framer.append(bytes).map { $0.talker + $0.type }
    }

    /// A UBX frame with Fletcher's checksum over class to payload, as u-blox' interface description has it.
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
        ("$GPGLL,,,,,,V,N*64", []), ("$PUBX,00*33\n", ["PUBX"]), ("$*00\n$\n$,*2C\n", []), ("$STI,IC,error=4\n", []),
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
        let found = framer.append(Self.ubx(Array(Self.sentence.utf8)) + Array(Self.sentence.utf8))
        #expect(found.count == 1)
        #expect(framer.binaryFrames == 1)
        #expect(
            Self.sentences(Self.ubx([]) + [0xB5] + Self.ubx([0x24, 0xB5, 0x62]) + Array(Self.sentence.utf8)) == [
                "GPGLL"
            ])
    }

    @Test func textInBrokenFramesIsReadAfterAll() {
        #expect(
            Self.sentences(Self.ubx(Array((Self.sentence + Self.sentence).utf8), spoiled: true)) == ["GPGLL", "GPGLL"])
        #expect(Self.sentences([0xB5, 0x62, 1, 1, 0xFF, 0xFF] + Array(Self.sentence.utf8)) == ["GPGLL"])
    }

    @Test func brokenSentencesAreCounted() {
        var framer = NMEAFramer()
        _ = framer.append("$GPGLL,,,,,,V,N*65\n$GP\u{1}$GP$GPGLL,,,,,,V,N*64\r\n\r\n".utf8)
        #expect(framer.broken == 3)
    }
}
