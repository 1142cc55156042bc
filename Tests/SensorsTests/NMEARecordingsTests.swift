// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Sensors
import Testing
import Times

/// gpsd's recorded receivers, and what gpsd makes of them: the last TPV object with a time is held against our fix of it.
///
/// Where the two differ on purpose:
/// - gpsd reports after every sentence or two; only its last word about a moment is compared. Moments to which it has
///   not yet got a date have no time there; those of which it says mode 1 have no position in either and, here, no time.
/// - A date that looks older than 2017 to gpsd although 18 leap seconds are known is moved on by 1024 weeks: it prints
///   2034-11-01 for neo-m8n.log, recorded on 2015-03-18. Here a date is only moved by a clock that is passed in.
/// - gpsd says mode 3 as soon as GGA has a height, even where GSA says 2 (ch-4711.log) or was not understood (once in
///   et-332.log): here GSA is believed, and without it nobody has vouched for more than 2.
@Suite struct NMEARecordingsTests {
    /// `shared/fixtures/nmea/` in the nearest folder above this file that has it.
    static let folder: String? = {
        let parts = #filePath.split(separator: "/")
        let above = parts.indices.reversed().map { "/" + parts[..<$0].joined(separator: "/") }
        return above.map { $0 + "/shared/fixtures/nmea/" }.first { FileManager.default.fileExists(atPath: $0) }
    }()
    static let missing: Comment = "SKIPPED: no ../shared/fixtures/nmea beside the package"

    /// What gpsd says about a moment.
    struct Report: Decodable {
        let `class`: String
        let time: String?
        let mode: Int?
        let lat: Double?
        let lon: Double?
        let altMSL: Double?
        let speed: Double?
        let track: Double?
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        /// How many moments have a time and a position.
        let moments: Int
        /// Rounds of 1024 weeks that gpsd adds.
        var rounds = 0
        /// In how many moments gpsd takes mode 3 from a height alone.
        var flat = 0
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "beidou-gb", moments: 1), Case(name: "bt451", moments: 12), Case(name: "bu353s4", moments: 25),
        Case(name: "ch-4711", moments: 7, flat: 7), Case(name: "et-332", moments: 19, flat: 1),
        Case(name: "firefly-II", moments: 23), Case(name: "garmin15x", moments: 7),
        Case(name: "neo-m8n", moments: 22, rounds: 1), Case(name: "tcp-torture", moments: 1, rounds: 1),
        Case(name: "ublox-zed-f9r", moments: 29),
    ]

    static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: (folder ?? "") + name)))
    }

    static func fixes(_ bytes: [UInt8]) -> [Fix] {
        var framer = NMEAFramer()
        var epochs = NMEAEpochs()
        var fixes = framer.append(bytes).compactMap { epochs.append($0) }
        if let last = epochs.flush() { fixes.append(last) }
        return fixes
    }

    /// The last report of each moment.
    static func reports(_ name: String) throws -> [Instant: Report] {
        var reports: [Instant: Report] = [:]
        for line in try bytes(name + ".log.chk").split(separator: 0x0A) {
            guard let report = try? JSONDecoder().decode(Report.self, from: Data(line)), report.class == "TPV",
                let time = report.time, report.mode ?? 0 > 1
            else { continue }
            reports[try Instant(rfc3339: time)] = report
        }
        return reports
    }

    @Test(.enabled(if: folder != nil, missing), arguments: cases)
    func fixesAreThoseOfGpsd(_ test: Case) throws {
        let reports = try Self.reports(test.name)
        let shift = Duration.seconds(test.rounds * 1024 * 7 * 86_400)
        var (compared, flat) = (0, 0)
        // The bars in tcp-torture.log stand for pauses in the player of the recording; they were never sent.
        for fix in Self.fixes(try Self.bytes(test.name + ".log").filter { $0 != UInt8(ascii: "|") }) {
            guard let time = fix.time, let report = reports[time + shift] else { continue }
            compared += 1
            if fix.mode == 2, report.mode == 3 { flat += 1 } else { #expect(fix.mode == report.mode) }
            Self.compare(fix, report, test.name)
        }
        #expect(compared == test.moments)
        #expect(reports.count == compared)
        #expect(flat == test.flat)
    }

    private static func compare(_ fix: Fix, _ report: Report, _ name: String) {
        let moment = Comment(rawValue: "\(name) \(fix.json)")
        #expect(isNear(fix.latitude, report.lat, 1e-9), moment)
        #expect(isNear(fix.longitude, report.lon, 1e-9), moment)
        #expect(isNear(fix.altitudeMSL, report.altMSL, 1e-4), moment)
        #expect(isNear(fix.speed, report.speed, 6e-4), moment)
        #expect(isNear(fix.track, report.track, 1e-4), moment)
    }

    private static func isNear(_ ours: Double?, _ theirs: Double?, _ tolerance: Double) -> Bool {
        guard let ours, let theirs else { return ours == nil && theirs == nil }
        return abs(ours - theirs) <= tolerance
    }

    /// A Telit module after the rollover of April 2019: years -1 and 99. Neither is a date that a clock may be set by.
    @Test(.enabled(if: folder != nil, missing)) func impossibleYearsGiveNoDate() throws {
        let fixes = Self.fixes(try Self.bytes("april6_2019.log"))
        #expect(fixes.map(\.mode) == [1, 2, 2])
        #expect(fixes.map { $0.time?.description } == [nil, nil, "1999-08-22T00:02:31.42Z"])
        #expect(Self.fixes(try Self.bytes("skytraq-err.log")).isEmpty)
    }

    @Test(.enabled(if: folder != nil, missing)) func damagedRecordingsNeverTrapNorInventFixes() throws {
        let bytes = try Self.bytes("ublox-zed-f9r.log")
        let whole = Set(Self.fixes(bytes).compactMap(\.latitude))
        var state: UInt64 = 1
        for _ in 0..<12 {
            var damaged = bytes
            for _ in 0..<400 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                damaged[Int(state >> 33) % damaged.count] = UInt8(truncatingIfNeeded: state >> 25)
            }
            let start = Int(state >> 33) % 5000
            let latitudes = Set(Self.fixes(Array(damaged[start...])).compactMap(\.latitude))
            #expect(latitudes.subtracting(whole).count <= 1)
        }
    }
}

@Suite struct NMEANoiseTests {
    /// Random bytes, and random fields behind a right checksum: nothing traps, and positions stay on the globe.
    @Test func noiseNeverTraps() {
        var state: UInt64 = 7
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        var framer = NMEAFramer()
        _ = framer.append((0..<100_000).map { _ in UInt8(next(256)) })
        let characters = Array("0123456789.-AVNSEW")
        var epochs = NMEAEpochs(reference: .epoch)
        for _ in 0..<20_000 {
            let type = ["RMC", "GGA", "GNS", "GLL", "GSA", "VTG", "ZDA", "GST"][next(8)]
            let fields = (0..<next(18)).map { _ in
                String((0..<next(12)).map { _ in characters[next(characters.count)] })
            }
            let fix = epochs.append(NMEASentence(talker: "GP", type: type, fields: fields))
            #expect(abs(fix?.latitude ?? 0) <= 90)
        }
    }
}
