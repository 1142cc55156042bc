// SPDX-License-Identifier: Apache-2.0
import Base

/// Gathers what sentences say about one moment of the receiver, in their own whole numbers. `NMEAEpochs` adds
/// sentences until one or a pause closes the moment (`isClosed`), then calls `fix` once if it `isTimed`.
struct NMEAMoment: Sendable {
    /// The kinds of sentence heard, one bit each.
    private(set) var kinds: UInt16 = 0
    /// Nanoseconds since midnight UTC; in a leap second a whole day and more.
    private(set) var timeOfDay: Int64?
    private(set) var date: LocalDate?
    /// The highest mode in the moment's GSA sentences.
    private(set) var mode: Int?
    /// A sentence said that the position is valid.
    private var isAffirmed = false
    /// A sentence said that the position is void.
    private var isDenied = false
    var motion = Motion()
    /// 10^-8 minutes of arc.
    private var latitude: Int64 = 0
    private var longitude: Int64 = 0
    private var hasPosition = false
    /// Micrometres.
    private var altitudeMSL: Int64?
    private var geoidSeparation: Int64?
    /// Millionths.
    private var hdop: Int64?
    /// Satellites used, the highest number of GGA and GNS: a receiver of several systems may have a GGA for each,
    /// which counts its own.
    private var satellites: Int?
    /// Standard deviations in micrometres.
    private var errors: (north: Int64?, east: Int64?, up: Int64?) = (nil, nil, nil)
    /// Satellites in view, by `SatellitesInView.System`.
    private var inView = SIMD8<UInt8>()
    /// The best signal of any satellite in view, dB-Hz.
    private var strongest: Int?

    /// Speed and direction over ground.
    struct Motion: Sendable {
        /// Millionths of a knot, or of a km/h.
        var speed: Int64?
        var isInKnots = true
        /// Millionths of a degree.
        var track: Int64?
    }

    /// True when a sentence was heard that marks a moment, and does not only describe one.
    var isTimed: Bool { kinds & NMEASentence.Kind.timed != 0 }

    @inline(__always)
    func has(_ kind: NMEASentence.Kind) -> Bool { kinds & kind.bit != 0 }

    /// True when a timed sentence of that time of day belongs to another moment.
    @inline(__always)
    func isClosed(by kind: NMEASentence.Kind, _ other: Int64?) -> Bool {
        if let timeOfDay, let other { return timeOfDay != other }
        return has(kind)
    }
}

// MARK: - Sentences

extension NMEAMoment {
    /// Letters of the status and mode fields: A valid, D differential, M typed in by hand, N no fix, S a simulator.
    private static var a: UInt8 { UInt8(ascii: "A") }
    private static var d: UInt8 { UInt8(ascii: "D") }
    private static var m: UInt8 { UInt8(ascii: "M") }
    private static var n: UInt8 { UInt8(ascii: "N") }
    private static var s: UInt8 { UInt8(ascii: "S") }

    /// Adds what a sentence with a time of day says.
    @inline(__always)
    mutating func add(_ sentence: borrowing NMEASentence, _ kind: NMEASentence.Kind, _ time: Int64?) {
        kinds |= kind.bit
        if timeOfDay == nil { timeOfDay = time }
        switch kind {
        case .rmc: readRMC(sentence)
        case .gga: readGGA(sentence)
        case .gns: readGNS(sentence)
        case .gll: readGLL(sentence)
        case .zda: readZDA(sentence)
        default: readGST(sentence)
        }
    }

    /// Adds what a sentence without a time of day says.
    @inline(__always)
    mutating func add(_ sentence: borrowing NMEASentence, _ kind: NMEASentence.Kind) {
        kinds |= kind.bit
        if kind == .gsa { readGSA(sentence) } else { readGSV(sentence) }
    }

    /// Adds a VTG; a sentence with a time wins over it.
    @inline(__always)
    mutating func add(_ other: Motion) {
        kinds |= NMEASentence.Kind.vtg.bit
        if motion.speed == nil { (motion.speed, motion.isInKnots) = (other.speed, other.isInKnots) }
        if motion.track == nil { motion.track = other.track }
    }

    @inline(__always)
    private mutating func recordValidity(_ isValid: Bool) { if isValid { isAffirmed = true } else { isDenied = true } }

    /// Recommended minimum: time, status, position, knots, track, ddmmyy, variation, mode
    /// (2.3), status (4.1).
    private mutating func readRMC(_ sentence: borrowing NMEASentence) {
        // D is how receivers before NMEA 2.3 said "differential".
        let status = sentence.letter(2)
        let isValid = (status == Self.a || status == Self.d) && sentence.letter(12) != Self.n
        recordValidity(isValid)
        guard isValid else { return }
        if let value = sentence.date(9) { date = value }
        readPosition(sentence, from: 3)
        if let value = sentence.fixed(7, places: 6) { (motion.speed, motion.isInKnots) = (value, true) }
        if let value = sentence.fixed(8, places: 6) { motion.track = value }
    }

    /// Time, position, quality, satellites, HDOP, height, its unit, geoid separation.
    private mutating func readGGA(_ sentence: borrowing NMEASentence) {
        if let value = sentence.integer(7) { satellites = max(satellites ?? value, value) }
        // 0 is void, 7 typed in by hand, 8 a simulator; empty says nothing, and
        // nothing of it is taken.
        guard let quality = sentence.letter(6) else { return }
        let isValid = quality != UInt8(ascii: "0") && quality != UInt8(ascii: "7") && quality != UInt8(ascii: "8")
        recordValidity(isValid)
        if isValid { readHeight(sentence, separation: 11) }
    }

    /// Time, position, one mode letter for each constellation, satellites, HDOP, height,
    /// geoid separation.
    private mutating func readGNS(_ sentence: borrowing NMEASentence) {
        if let value = sentence.integer(7) { satellites = max(satellites ?? value, value) }
        guard let modes = sentence.range(6) else { return }
        var isValid = false
        for index in modes where sentence[index] != Self.n && sentence[index] != Self.m && sentence[index] != Self.s {
            isValid = true
        }
        recordValidity(isValid)
        if isValid { readHeight(sentence, separation: 10) }
    }

    /// What GGA and GNS have in common.
    @inline(__always)
    private mutating func readHeight(_ sentence: borrowing NMEASentence, separation: Int) {
        readPosition(sentence, from: 2)
        if let value = sentence.dilution(8) { hdop = value }
        if let value = sentence.fixed(9, places: 6) { altitudeMSL = value }
        if let value = sentence.fixed(separation, places: 6) { geoidSeparation = value }
    }

    /// Position, time, status, mode.
    private mutating func readGLL(_ sentence: borrowing NMEASentence) {
        let isValid = sentence.letter(6) == Self.a && sentence.letter(7) != Self.n
        recordValidity(isValid)
        if isValid { readPosition(sentence, from: 1) }
    }

    /// Time, day, month, year of four digits.
    private mutating func readZDA(_ sentence: borrowing NMEASentence) {
        guard let day = sentence.integer(2), let month = sentence.integer(3), let year = sentence.integer(4),
            let value = LocalDate(year: year, month: month, day: day)
        else { return }
        date = value
    }

    /// Time, RMS of the ranges, the error ellipse, standard deviations of latitude,
    /// longitude and height.
    private mutating func readGST(_ sentence: borrowing NMEASentence) {
        errors = (sentence.fixed(6, places: 6), sentence.fixed(7, places: 6), sentence.fixed(8, places: 6))
    }

    /// Choice of mode, mode 1...3, twelve satellites, PDOP, HDOP, VDOP; from 4.1 the system. One
    /// sentence per system.
    private mutating func readGSA(_ sentence: borrowing NMEASentence) {
        if let value = sentence.integer(2), value >= 1, value <= 3 { mode = max(mode ?? 0, value) }
        if let value = sentence.dilution(16) { hdop = value }
    }

    private mutating func readGSV(_ sentence: borrowing NMEASentence) {
        guard let view = SatellitesInView(sentence) else { return }
        let place = Int(view.system.rawValue)
        if let count = view.count { inView[place] = max(inView[place], UInt8(clamping: count)) }
        if let signal = view.strongest { strongest = max(strongest ?? signal, signal) }
    }

    /// ddmm.mmmm, N or S, dddmm.mmmm, E or W: both or none.
    @inline(__always)
    private mutating func readPosition(_ sentence: borrowing NMEASentence, from number: Int) {
        guard let north = sentence.minutes(number, UInt8(ascii: "N"), UInt8(ascii: "S"), limit: 90),
            let east = sentence.minutes(number + 2, UInt8(ascii: "E"), UInt8(ascii: "W"), limit: 180)
        else { return }
        (latitude, longitude, hasPosition) = (north, east, true)
    }
}

extension NMEAMoment.Motion {
    /// True track, T, magnetic track, M, knots, N, km/h, K, mode. km/h are
    /// preferred: with as many decimals they are finer than knots.
    @inline(__always)
    init(_ sentence: borrowing NMEASentence) {
        guard sentence.letter(9) != UInt8(ascii: "N") else { return }
        track = sentence.fixed(1, places: 6)
        speed = sentence.fixed(7, places: 6)
        isInKnots = speed == nil
        if isInKnots { speed = sentence.fixed(5, places: 6) }
    }
}

// MARK: - The fix

extension NMEAMoment {
    /// The fix of all sentences so far. If one of them says void, there is no position, whatever the others
    /// say.
    func fix(recentMode: Int?) -> Fix {
        var fix = Fix(mode: mode(recentMode), satellites: satellites)
        if has(.gsv) { fix.satellitesInView = inView.indices.reduce(0) { $0 + Int(inView[$1]) } }
        fix.strongestSignal = strongest
        guard fix.mode > 1 else { return fix }
        if hasPosition {
            // One rounding each: the whole numbers are exact in a Double, and so is the divisor.
            fix.latitude = Double(latitude) / 6e9
            fix.longitude = Double(longitude) / 6e9
        }
        fix.altitudeMSL = altitudeMSL.map { Double($0) / 1e6 }
        fix.geoidSeparation = geoidSeparation.map { Double($0) / 1e6 }
        fix.speed = motion.speed.map { Double($0) / 1e6 * (motion.isInKnots ? 1852.0 / 3600 : 1 / 3.6) }
        fix.track = motion.track.map { Double($0) / 1e6 }
        fix.hdop = hdop.map { Double($0) / 1e6 }
        if let north = errors.north, let east = errors.east {
            let (north, east) = (Double(north) / 1e6, Double(east) / 1e6)
            fix.horizontalError = (north * north + east * east).squareRoot()
        }
        fix.verticalError = errors.up.map { Double($0) / 1e6 }
        return fix
    }

    /// 0 nothing known, 1 no position, 2 without height, 3 with height: GSA's mode, else `recentMode`, which GSA
    /// gave in a moment before, else by the height.
    private func mode(_ recentMode: Int?) -> Int {
        guard isAffirmed, !isDenied, mode != 1 else { return isAffirmed || isDenied || mode != nil ? 1 : 0 }
        if let mode { return mode }
        if let recentMode, recentMode > 1 { return recentMode }
        return altitudeMSL != nil && satellites ?? 0 >= 4 ? 3 : 2
    }
}
