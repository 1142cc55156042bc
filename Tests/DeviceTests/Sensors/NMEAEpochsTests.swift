// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Device

@Suite struct NMEAEpochsTests {
    /// The fixes of sentences given without `$` and checksum.
    static func fixes(_ lines: [String], reference: String? = nil) throws -> [Fix] {
        var epochs = NMEAEpochs(reference: try reference.map { try Instant(rfc3339: $0) })
        var framer = NMEAFramer()
        var fixes: [Fix] = []
        framer.append(lines.flatMap(line)) { sentence in
            if let fix = epochs.append(sentence) { fixes.append(fix) }
        }
        #expect(framer.sentences == lines.count)
        return fixes + [epochs.flush()].compactMap(\.self)
    }

    /// A whole line with `$`, checksum and line end.
    static func line(_ body: String) -> [UInt8] {
        let sum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
        return Array("$\(body)*\(sum.count == 1 ? "0" + sum : sum)\r\n".utf8)
    }

    static let rmc = "GNRMC,172926.50,A,4404.14063,N,12118.85478,W,0.117,90.5,180315,,,A"

    @Test func oneMomentIsOneFix() throws {
        let fixes = try Self.fixes([
            Self.rmc, "GNVTG,,T,,M,9.9,N,9.9,K,A",
            "GNGGA,172926.50,4404.14063,N,12118.85478,W,1,12,0.91,1147.2,M,-21.3,M,,",
            "GNGSA,A,2,01,,,,,,,,,,,,1.56,0.91,1.27", "GNGSA,A,3,67,,,,,,,,,,,,1.56,0.91,1.27",
            "GNGSA,A,1,,,,,,,,,,,,,,,",
            "GPGSV,4,1,13,01,53,280,36", "GNRMC,172927.50,V,,,,,,,,,,N",
        ])
        #expect(fixes.count == 2)
        let first = try #require(fixes.first)
        #expect(
            first.json
                == #"{"time":"2015-03-18T17:29:26.500Z","mode":3,"lat":44.0690105,"lon":-121.314246333,"altMSL":1147.2,"speed":0.0602,"track":90.5,"hdop":0.91,"satellites":12}"#
        )
        #expect(first.geoidSeparation == -21.3)
        #expect(first.satellitesInView == 13 && first.strongestSignal == 36)
        #expect(fixes[1] == Fix(mode: 1))
    }

    @Test(arguments: [
        "GPRMC,172926,V,4404.14063,N,12118.85478,W,0.117,90.5,180315,,,A",
        "GPRMC,172926,A,4404.14063,N,12118.85478,W,0.117,90.5,180315,,,N",
        "GPGGA,172926,4404.14063,N,12118.85478,W,0,03,0.91,1147.2,M,-21.3,M,,",
        "GPGLL,4404.14063,N,12118.85478,W,172926,V,N",
        "GNGNS,172926,4404.14063,N,12118.85478,W,NN,03,0.9,1147.2,-21.3,,",
    ])
    func voidSentencesGiveNoCoordinates(line: String) throws {
        let fix = try #require(try Self.fixes([line]).first)
        #expect(fix.mode == 1)
        #expect(
            [fix.latitude, fix.longitude, fix.altitudeMSL, fix.speed, fix.track, fix.hdop] == [
                nil, nil, nil, nil, nil, nil,
            ])
        let contradicted = try #require(try Self.fixes(["GPGLL,4404.14063,N,12118.85478,W,172926,A", line]).first)
        #expect(contradicted.mode == 1 && contradicted.latitude == nil)
    }

    /// NMEA 0183, 4.10, GGA: 1 GPS, 2 differential, 3 PPS, 4 and 5 RTK, 6 dead reckoning; 0 is no fix, 7 typed in,
    /// 8 a simulator.
    @Test(arguments: [
        ("0", false), ("1", true), ("2", true), ("3", true), ("4", true), ("5", true), ("6", true), ("7", false),
        ("8", false),
    ]) func theQualityOfGGASaysWhetherThereIsAPosition(quality: String, isValid: Bool) throws {
        let line = "GPGGA,172926,4404.14063,N,12118.85478,W,\(quality),08,0.91,1147.2,M,-21.3,M,,"
        let fix = try #require(try Self.fixes([line]).first)
        #expect(fix.mode == (isValid ? 3 : 1))
        #expect((fix.latitude != nil) == isValid && (fix.altitudeMSL != nil) == isValid)
    }

    @Test(arguments: [
        "GPRMC,172926,A,9104.1,N,12118.8,W,,,180315,,,A", "GPRMC,172926,A,4460.0,N,12118.8,W,,,180315,,,A",
        "GPRMC,172926,A,4404.1,X,12118.8,W,,,180315,,,A", "GPRMC,172926,A,4404.1,N,,,,,180315,,,A",
        "GPRMC,172926,A,44x4.1,N,12118.8,W,,,180315,,,A", "GPRMC,172926,A,4404.1,N,18000.00000001,W,,,180315,,,A",
    ])
    func coordinatesThatAreNoneAreAbsentInPairs(line: String) throws {
        let fix = try #require(try Self.fixes([line]).first)
        #expect(fix.latitude == nil && fix.longitude == nil)
    }

    /// RTK receivers give eight decimals of a minute: 45° 3.94632 1234′ is 45.0657720205667°.
    @Test func everyDigitOfACoordinateCounts() throws {
        let fix = try #require(try Self.fixes(["GPGLL,4503.94632123,S,00739.54368,E,172926,A"]).first)
        #expect(abs((fix.latitude ?? 0) + (45 + 3.94632123 / 60)) < 1e-12)
        #expect(fix.json == #"{"mode":2,"lat":-45.065772021,"lon":7.659061333}"#)
    }

    @Test func dateGoesOnOverMidnight() throws {
        let gga = ",4404.1,N,12118.8,W,1,12,0.91,1147.2,M,-21.3,M,,"
        let fixes = try Self.fixes([
            "GPGGA,235959" + gga, "GPRMC,235959,A,4404.1,N,12118.8,W,,,311299,,,A", "GPGGA,000000" + gga,
            "GPGGA,000001" + gga,
            "GPZDA,000001,01,01,2000,00,00",
        ])
        #expect(
            fixes.map { $0.time?.description } == [
                "1999-12-31T23:59:59Z", "2000-01-01T00:00:00Z", "2000-01-01T00:00:01Z",
            ])
    }

    /// Before its first fix a receiver tells the time of its own clock, which begins with that of GPS on 6
    /// January 1980.
    @Test func theDateOfAVoidMomentIsNotBelieved() throws {
        let void = ",,,,,0,00,99.99,,,,,,"
        let gga = ",4404.1,N,12118.8,W,1,12,0.91,1147.2,M,-21.3,M,,"
        let fixes = try Self.fixes([
            "GPGGA,172926" + void, "GPZDA,172926,06,01,1980,00,00", "GPGGA,172927" + gga, "GPGGA,172928" + gga,
            "GPZDA,172928,18,03,2015,00,00",
        ])
        #expect(fixes.map(\.mode) == [1, 3, 3])
        #expect(fixes.map { $0.time?.description } == [nil, nil, "2015-03-18T17:29:28Z"])
    }

    @Test func withoutADateThereIsNoTime() throws {
        let fixes = try Self.fixes([
            "GPGLL,4404.1,N,12118.8,W,172926,A", "GPRMC,172927,A,4404.1,N,12118.8,W,,,2208-1,,,A",
        ])
        #expect(fixes.map(\.time) == [nil, nil])
        #expect(fixes.map(\.mode) == [2, 2])
    }

    @Test func leapSecondIsTheSecondAfter() throws {
        let fix = try Self.fixes(["GPRMC,235960,A,4404.1,N,12118.8,W,,,311216,,,A"]).first
        #expect(fix?.time?.description == "2017-01-01T00:00:00Z")
    }

    static let dates: [(reference: String?, expected: String?, check: Fix.DateCheck)] = [
        (nil, "2015-03-18T17:29:26.5Z", .unchecked),
        ("2015-03-19T00:00:00Z", "2015-03-18T17:29:26.5Z", .confirmed),
        ("2034-11-01T20:00:00Z", "2034-11-01T17:29:26.5Z", .corrected(rounds: 1)),
        ("1995-08-03T00:00:00Z", "1995-08-02T17:29:26.5Z", .corrected(rounds: -1)),
        ("2016-03-18T17:29:26Z", nil, .refused),
    ]

    @Test(arguments: dates)
    func datesAreHeldAgainstATrustedClock(reference: String?, expected: String?, check: Fix.DateCheck) throws {
        let fix = try #require(try Self.fixes([Self.rmc], reference: reference).first)
        #expect(fix.time?.description == expected)
        #expect(fix.dateCheck == check)
    }

    /// u-blox receivers without RMC: VTG leads the moment, and a second one belongs to the next.
    @Test func leadingMotionBelongsToTheMomentThatFollows() throws {
        let fixes = try Self.fixes([
            "GNVTG,10,T,,M,,N,3.6,K,A", "GNGLL,4404.1,N,12118.8,W,172926,A", "GNVTG,20,T,,M,,N,7.2,K,A",
            "GNGLL,4404.1,N,12118.8,W,172927,A", "GNVTG,30,T,,M,,N,10.8,K,A",
        ])
        #expect(fixes.map(\.speed) == [1, 2])
        #expect(fixes.map(\.track) == [10, 20])
    }

    @Test func receiverWithoutTimeGivesAFixEachRound() throws {
        let round = [
            "GPRMC,,V,,,,,,,,,,N", "GPVTG,,,,,,,,,N", "GPGGA,,,,,,0,00,99.99,,,,,,",
            "GPGSA,A,1,,,,,,,,,,,,,99.99,99.99,99.99",
        ]
        let fixes = try Self.fixes(round + round + round)
        #expect(fixes == [Fix](repeating: Fix(mode: 1, satellites: 0), count: 3))
    }

    /// A receiver without GSA: four satellites and a height make a fix in space.
    @Test(arguments: [("04", "1147.2", 3), ("03", "1147.2", 2), ("04", "", 2)])
    func modeWithoutGSAComesFromTheHeight(satellites: String, height: String, mode: Int) throws {
        let fix = try Self.fixes(["GPGGA,172926,4404.1,N,12118.8,W,1,\(satellites),0.9,\(height),M,-21.3,M,,"]).first
        #expect(fix?.mode == mode)
    }

    /// ntpsec/gpsd 46977faa, test/daemon/telit-pls83-w.log: a GGA for each system, and a GNS for all of them, which a
    /// modem can be told to leave out. In quectel-eg25-g-2.log GGA counts GPS alone.
    @Test(
        arguments: [
            (["GPGGA 05", "GAGGA 01"], 5), (["GAGGA 01", "GPGGA 05"], 5), (["GPGGA 05", "GAGGA 01", "GNGNS 14"], 14),
            (["GNGNS 14", "GPGGA 05", "GAGGA 01"], 14), (["GPGGA 05", "GAGGA "], 5), (["GPGGA "], nil),
        ] as [([String], Int?)])
    func theSentenceOfMostSystemsCountsTheSatellites(sentences: [String], satellites: Int?) throws {
        let lines = sentences.map { sentence in
            let parts = sentence.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            let place = "043539.00,4333.190206,N,00127.618380,E"
            return parts[0] == "GNGNS"
                ? "GNGNS,\(place),AAAAN,\(parts[1]),1.3,250.8,50.0,,,V"
                : "\(parts[0]),\(place),1,\(parts[1]),1.3,250.8,M,50.0,M,,"
        }
        let fixes = try Self.fixes(lines)
        #expect(fixes.count == 1 && fixes.first?.satellites == satellites)
    }

    /// Fast receivers send GSA once a second; in between it is still believed, but not for ever.
    @Test func whatGSASaidIsBelievedForAWhile() throws {
        let gga = (0..<30).map { "GPGGA,1729\($0 < 10 ? "0" : "")\($0),4404.1,N,12118.8,W,1,12,0.9,1147.2,M,,M,," }
        let fixes = try Self.fixes([gga[0], "GPGSA,A,2,01,,,,,,,,,,,,1.5,0.9,1.2"] + gga[1...])
        #expect(fixes.prefix(21).allSatisfy { $0.mode == 2 } && fixes.suffix(8).allSatisfy { $0.mode == 3 })
    }

    @Test func severalSystemsAddUpAndTheirSignalsAreCompared() throws {
        let fix = try Self.fixes([
            "GNRMC,172926,A,4404.1,N,12118.8,W,,,180315,,,A,V",
            "GNGSA,A,1,,,,,,,,,,,,,9.9,99.9,9.9,3", "GNGSA,A,3,01,,,,,,,,,,,,1.56,0.91,1.27,1",
            "GPGSV,1,1,03,01,53,280,36,02,10,100,,40,45,200,41,1", "GPGSV,1,1,02,01,53,280,44,02,10,100,30,8",
            "GLGSV,1,1,01,65,53,280,20,1", "GAGSV,1,1,00,7", "GBGSV,1,1,02,201,5,359,22,19,-1,000,23,1",
            "GNGST,172926,12,,,,3.0,4.0,5.5",
        ]).first
        #expect(fix?.satellitesInView == 6 && fix?.strongestSignal == 44 && fix?.mode == 3)
        #expect(fix?.horizontalError == 5 && fix?.verticalError == 5.5 && fix?.hdop == 0.91)
    }

    /// ntpsec/gpsd 46977faa, test/daemon/quectel-eg25-g.log: PQ is for BeiDou (4) and QZSS (5), by a last field
    /// (drivers/driver_nmea0183.c, processGSV); gpsd counts the same satellites, but for the one without a number.
    @Test func modemsOfQuectelHaveATalkerOfTheirOwn() throws {
        let fix = try Self.fixes([
            "GLGSV,2,1,08,78,38,037,22,79,53,314,17,88,23,078,23,87,11,032,18,1",
            "GLGSV,2,2,08,81,11,130,17,68,38,195,16,70,10,331,,,56,279,,1",
            "PQGSV,4,1,15,02,20,116,,03,,,,05,34,137,,07,06,045,,0,4",
            "PQGSV,4,4,15,28,08,040,,29,,,,30,21,144,,0,4", "PQGSV,1,1,01,02,20,116,29,0,5",
            "GAGSV,1,1,02,04,52,298,,09,04,322,,7",
            "GPGSV,3,1,11,13,80,260,15,14,49,043,20,17,48,109,20,19,35,153,20,1",
            "GPGGA,191533.98,3645.828239,N,03124.652575,E,1,03,3.1,-80.3,M,32.0,M,,",
            "PQGSA,A,2,12,,,,,,,,,,,,1.2,0.9,0.9,4",
        ]).first
        #expect(fix?.satellitesInView == 37 && fix?.strongestSignal == 29 && fix?.hdop == 0.9)
    }

    /// Fields beyond any standard: too long, doubled points, signs, letters. What cannot
    /// be read is absent.
    @Test(
        arguments: [
            ("1234567890.5", nil), ("1.2.3", nil), ("--1", nil), ("1-", nil), (".", nil), ("-", nil), ("1e3", nil),
            (".5", 0.5), ("5.", 5), ("-0.25", -0.25), ("000000001.0000000001", 1),
        ] as [(String, Double?)])
    func numbersAreReadOrAbsent(text: String, value: Double?) throws {
        let fix = try Self.fixes(["GPGGA,172926,4404.1,N,12118.8,W,1,04,0.9,\(text),M,,M,,"]).first
        #expect(fix?.altitudeMSL == value && fix?.latitude != nil)
    }

    @Test func nothingSaidIsNoFix() throws {
        #expect(try Self.fixes(["GPGSV,1,1,00", "GPTXT,01,01,02,x", "PUBX,00", "GPGSA,A,3"]).isEmpty)
    }
}

@Suite struct FixTests {
    @Test func unknownMembersAreAbsent() {
        #expect(Fix(mode: 0).json == #"{"mode":0}"#)
        #expect(
            Fix(mode: 2, latitude: -0.000000001, longitude: 180, track: .infinity).json
                == #"{"mode":2,"lat":-0.000000001,"lon":180}"#)
    }
}
