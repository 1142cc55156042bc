// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Testing

/// What goes wrong on a line: noise, cuts, spliced logs, flipped bits. Nothing traps, and no fix
/// comes from what is wrong.
@Suite struct NMEANoiseTests {
    /// Numbers that are the same in every run.
    struct Chance: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
        mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
    }

    /// Random bytes, and random bytes of the alphabet of sentences, in pieces of random length. One
    /// in 256 of what looks like a sentence is right by chance; whatever is found must be in the
    /// noise with its right sum.
    @Test func nothingIsFoundInNoiseThatIsNotThere() {
        var chance = Chance(state: 7)
        var framer = NMEAFramer()
        let alphabet = Array("$$,,,***0123456789ABCDEFGPRMCGGA.-NSEW\r\n".utf8) + [0xB5, 0x62, 0, 1]
        var noise: [UInt8] = []
        var found: [String] = []
        for round in 0..<2000 {
            let piece = (0..<chance.below(100)).map { _ in
                round / 50 % 2 == 0
                    ? UInt8.random(in: 0...255, using: &chance) : alphabet[chance.below(alphabet.count)]
            }
            noise += piece
            framer.append(piece) { found.append($0.body) }
        }
        #expect(framer.broken > 1000 && found.count < framer.broken / 50)
        let text = String(decoding: noise.map { $0 < 0x7F ? $0 : 0x7F }, as: UTF8.self).uppercased().utf8
        for body in found {
            let whole = NMEAEpochsTests.line(body).dropLast(2)
            #expect(Self.contains(Array(text), String(decoding: whole, as: UTF8.self).uppercased().utf8.map { $0 }))
        }
    }

    private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        text.indices.contains { text[$0...].starts(with: part) }
    }

    /// Random fields behind a right checksum: positions stay on the globe, times within their day.
    @Test func nonsenseInFieldsStaysOnTheGlobe() {
        var chance = Chance(state: 11)
        let characters = Array("0123456789.-AVNSEW")
        var epochs = NMEAEpochs(reference: .epoch)
        var framer = NMEAFramer()
        for _ in 0..<20_000 {
            let type = ["RMC", "GGA", "GNS", "GLL", "GSA", "VTG", "ZDA", "GST", "GSV", "XXX"][chance.below(10)]
            let fields = (0..<chance.below(24)).map { _ in
                String((0..<chance.below(12)).map { _ in characters[chance.below(characters.count)] })
            }
            framer.append(NMEAEpochsTests.line((["GP" + type] + fields).joined(separator: ","))) { sentence in
                let fix = epochs.append(sentence)
                #expect(abs(fix?.latitude ?? 0) <= 90 && abs(fix?.longitude ?? 0) <= 180)
                #expect(fix?.latitude == nil || fix?.mode ?? 0 > 1)
            }
        }
        #expect(framer.sentences == 20_000)
    }

    /// Logs cut, spliced into each other and with bytes changed: what is accepted is in one of
    /// them.
    @Test(
        .enabled(if: NMEARecordingsTests.folder != nil, NMEARecordingsTests.missing), arguments: 0..<8)
    func splicedAndDamagedLogsGiveOnlyWhatWasSaid(seed: Int) throws {
        var chance = Chance(state: UInt64(seed))
        let logs = try NMEARecordingsTests.names.map { try NMEARecordingsTests.bytes($0 + ".log") }
        let said = Set(logs.flatMap(Self.bodies))
        var stream: [UInt8] = []
        for _ in 0..<60 {
            let log = logs[chance.below(logs.count)]
            let start = chance.below(log.count)
            stream += log[start..<min(log.count, start + chance.below(4000))]
            if chance.below(4) == 0 {
                stream += (0..<chance.below(300)).map { _ in UInt8.random(in: 0...255, using: &chance) }
            }
        }
        for _ in 0..<stream.count / 200 {
            stream[chance.below(stream.count)] = UInt8.random(in: 0...255, using: &chance)
        }
        let found = Self.bodies(stream)
        let invented = found.filter { !said.contains($0) }
        // Two changes in one sentence make a right sum once in 256 times; single ones never do.
        #expect(found.count > 300 && invented.count <= 2)
        for fix in NMEARecordingsTests.fixes(stream) { #expect(fix.latitude == nil || fix.mode > 1) }
    }

    /// Every single wrong bit in a sentence is found, whatever it does to the rest.
    @Test func oneWrongBitGivesNoFix() {
        let body = "GPGGA,172926.50,4404.14063,N,12118.85478,W,1,12,0.91,1147.2,M,-21.3,M,,"
        let line = NMEAEpochsTests.line(body)
        for place in line.indices.dropLast(2) {
            for bit in 0..<8 {
                var wrong = line
                wrong[place] ^= 1 << UInt8(bit)
                let accepted = NMEARecordingsTests.fixes(wrong).compactMap(\.latitude)
                // `*5a` is `*5A`: the digits of the sum may be small letters.
                let isSameSum = place >= line.count - 4 && bit == 5
                #expect(accepted.isEmpty || isSameSum, "byte \(place), bit \(bit)")
            }
        }
    }

    private static func bodies(_ bytes: [UInt8]) -> [String] {
        var framer = NMEAFramer()
        var found: [String] = []
        framer.append(bytes) { found.append($0.body) }
        return found
    }
}
