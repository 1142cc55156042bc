// SPDX-License-Identifier: Apache-2.0

/// What one GSV sentence says about the satellites above the horizon, for `NMEAMoment`.
struct SatellitesInView: Sendable {
    /// Satellite systems; the raw value is a place in a small table.
    enum System: UInt8, Sendable {
        case other, gps, glonass, galileo, beidou, qzss, navic
    }

    let system: System
    /// In view of this system, over all sentences of the group; nil where the field is empty.
    let count: Int?
    /// dB-Hz of the strongest of this sentence's satellites; nil where none is heard.
    let strongest: Int?

    /// Total sentences, number, satellites in view, then for up to four: number, elevation,
    /// azimuth, dB-Hz; from 4.1 the signal id after the last, and with the talker PQ the system's.
    init?(_ sentence: borrowing NMEASentence) {
        count = sentence.integer(3)
        var strongest: Int?
        var number = 4
        while number + 3 <= sentence.commaCount, number < 20 {
            if sentence.range(number) != nil {
                // An impossible elevation or azimuth shows that fields were lost: the sentence is dropped.
                // 360 is north, as 0 is.
                if let elevation = sentence.fixed(number + 1, places: 0), abs(elevation) > 90 { return nil }
                if let azimuth = sentence.integer(number + 2), azimuth > 360 { return nil }
                if let signal = sentence.integer(number + 3), signal > strongest ?? 0 { strongest = signal }
            }
            number += 4
        }
        self.strongest = strongest
        system = Self.system(sentence[0], sentence[1], last: sentence.letter(sentence.commaCount))
    }

    /// By the talker alone, since the satellites' numbers overlap between makers; a talker for all
    /// (GN) is `other`.
    private static func system(_ first: UInt8, _ second: UInt8, last: UInt8?) -> System {
        switch (first, second) {
        case (UInt8(ascii: "G"), UInt8(ascii: "P")): .gps
        case (UInt8(ascii: "G"), UInt8(ascii: "L")): .glonass
        case (UInt8(ascii: "G"), UInt8(ascii: "A")): .galileo
        case (UInt8(ascii: "G"), UInt8(ascii: "B")), (UInt8(ascii: "B"), UInt8(ascii: "D")): .beidou
        case (UInt8(ascii: "G"), UInt8(ascii: "Q")), (UInt8(ascii: "Q"), UInt8(ascii: "Z")): .qzss
        case (UInt8(ascii: "G"), UInt8(ascii: "I")): .navic
        case (UInt8(ascii: "P"), UInt8(ascii: "Q")): last == UInt8(ascii: "5") ? .qzss : .beidou
        default: .other
        }
    }
}
