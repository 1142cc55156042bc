// SPDX-License-Identifier: Apache-2.0
import Times

/// What one sentence says, in the units of `Fix`.
struct NMEAObservation: Sendable {
    /// Nanoseconds since midnight UTC; in a leap second a whole day and more.
    var timeOfDay: Int64?
    var date: LocalDate?
    /// Whether the receiver stands by its position; nil where the sentence does not say.
    var isValid: Bool?
    var mode: Int?
    var latitude: Double?
    var longitude: Double?
    var altitudeMSL: Double?
    var geoidSeparation: Double?
    var speed: Double?
    var track: Double?
    var hdop: Double?
    var satellites: Int?

    /// The sentences that carry a time of day, by which moments are told apart.
    static let timed: Set<String> = ["RMC", "GGA", "GLL", "GNS", "ZDA", "GST"]

    /// Nil for a sentence that says nothing about the fix (GSV, TXT, a maker's own, ...).
    init?(_ sentence: NMEASentence) {
        guard sentence.talker != "P" else { return nil }
        switch sentence.type {
        case "RMC": readRMC(sentence)
        case "GGA": readGGA(sentence)
        case "GNS": readGNS(sentence)
        case "GLL": readGLL(sentence)
        case "GSA": readGSA(sentence)
        case "VTG": readVTG(sentence)
        case "ZDA": readZDA(sentence)
        case "GST": timeOfDay = NMEAField.timeOfDay(sentence.field(1))
        default: return nil
        }
    }

    /// Recommended minimum: time, status, position, knots, track, ddmmyy, variation, mode (2.3), status (4.1).
    private mutating func readRMC(_ sentence: NMEASentence) {
        timeOfDay = NMEAField.timeOfDay(sentence.field(1))
        isValid = sentence.field(2) == "A" && sentence.field(12) != "N"
        date = isValid == true ? NMEAField.date(sentence.field(9)) : nil
        readPosition(sentence, from: 3)
        speed = NMEAField.number(sentence.field(7)).map { $0 * 1852 / 3600 }
        track = NMEAField.number(sentence.field(8))
    }

    /// Time, position, quality, satellites, HDOP, height, its unit, geoid separation.
    private mutating func readGGA(_ sentence: NMEASentence) {
        timeOfDay = NMEAField.timeOfDay(sentence.field(1))
        // 0 is void, 7 typed in by hand, 8 a simulator; empty says nothing, and nothing of it is taken.
        isValid = sentence.field(6).map { !["0", "7", "8"].contains($0) }
        satellites = sentence.field(7).flatMap { Int($0) }
        guard isValid == true else { return }
        readPosition(sentence, from: 2)
        hdop = NMEAField.dilution(sentence.field(8))
        altitudeMSL = NMEAField.number(sentence.field(9))
        geoidSeparation = NMEAField.number(sentence.field(11))
    }

    /// Time, position, one mode letter for each constellation, satellites, HDOP, height, geoid separation.
    private mutating func readGNS(_ sentence: NMEASentence) {
        timeOfDay = NMEAField.timeOfDay(sentence.field(1))
        isValid = sentence.field(6).map { modes in modes.contains { !"NMS".contains($0) } }
        satellites = sentence.field(7).flatMap { Int($0) }
        guard isValid == true else { return }
        readPosition(sentence, from: 2)
        hdop = NMEAField.dilution(sentence.field(8))
        altitudeMSL = NMEAField.number(sentence.field(9))
        geoidSeparation = NMEAField.number(sentence.field(10))
    }

    /// Position, time, status, mode.
    private mutating func readGLL(_ sentence: NMEASentence) {
        timeOfDay = NMEAField.timeOfDay(sentence.field(5))
        isValid = sentence.field(6) == "A" && sentence.field(7) != "N"
        readPosition(sentence, from: 1)
    }

    /// Choice of mode, mode 1...3, twelve satellites, PDOP, HDOP, VDOP.
    private mutating func readGSA(_ sentence: NMEASentence) {
        mode = sentence.field(2).flatMap { Int($0) }.flatMap { (1...3).contains($0) ? $0 : nil }
        hdop = NMEAField.dilution(sentence.field(16))
    }

    /// True track, T, magnetic track, M, knots, N, km/h, K, mode. Knots have the finer unit only in few receivers.
    private mutating func readVTG(_ sentence: NMEASentence) {
        guard sentence.field(9) != "N" else { return }
        track = NMEAField.number(sentence.field(1))
        speed =
            NMEAField.number(sentence.field(7)).map { $0 / 3.6 }
            ?? NMEAField.number(sentence.field(5)).map { $0 * 1852 / 3600 }
    }

    /// Time, day, month, year of four digits.
    private mutating func readZDA(_ sentence: NMEASentence) {
        timeOfDay = NMEAField.timeOfDay(sentence.field(1))
        guard let day = NMEAField.digits(sentence.field(2)), let month = NMEAField.digits(sentence.field(3)),
            let year = NMEAField.digits(sentence.field(4))
        else { return }
        date = LocalDate(year: year, month: month, day: day)
    }

    /// ddmm.mmmm, N or S, dddmm.mmmm, E or W: both or none, and none of a sentence that says it is void.
    private mutating func readPosition(_ sentence: NMEASentence, from number: Int) {
        guard isValid == true,
            let north = NMEAField.degrees(sentence.field(number), sentence.field(number + 1), "N", "S", limit: 90),
            let east = NMEAField.degrees(sentence.field(number + 2), sentence.field(number + 3), "E", "W", limit: 180)
        else { return }
        (latitude, longitude) = (north, east)
    }
}
