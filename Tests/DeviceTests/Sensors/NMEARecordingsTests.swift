// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import FoundationEssentials
import Testing

/// gpsd's recorded receivers, and what gpsd makes of them. Every log that lies there with its
/// `.chk` is held against it: the last TPV object with a time is compared with our fix of that
/// time in position, height, geoid separation, speed, track and mode. Positions without a time
/// are compared as a set: but for the counted ones each of gpsd's is one of ours, and each of
/// ours one of gpsd's.
///
/// Where the two differ on purpose:
/// - gpsd reports after every sentence or two; only its last word about a moment is compared.
///   Moments to which it has not yet got a date have no time there; those of which it says mode 1
///   have no position in either and, here, no time.
/// - A date that looks older than 2017 to gpsd although 18 leap seconds are known is moved on by
///   1024 weeks: it prints 2034-11-01 for neo-m8n.log, recorded on 2015-03-18. Here a date is only
///   moved by a clock that is passed in.
/// - gpsd says mode 3 as soon as GGA has a height, even where GSA says 2 (ch-4711.log): here
///   GSA is believed.
/// - Errors (eph, epv, ept), magnetic variation and the sky are gpsd's own models or not of the
///   fix, and not compared.
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
        let geoidSep: Double?
        let speed: Double?
        let track: Double?
    }

    /// What is known of a log; of others everything is compared, and only the counts are not.
    struct Known: Sendable {
        /// How many moments have a time and a position.
        let moments: Int
        /// Rounds of 1024 weeks that gpsd adds.
        var rounds = 0
        /// In how many moments gpsd takes mode 3 from a height although GSA says 2.
        var flat = 0
        /// Positions of whole moments, at a log's beginning and end or beside a broken sentence, of
        /// which gpsd says nothing.
        var unreported = 0
        /// Positions that gpsd reports before a later sentence of the same moment says it
        /// with fewer digits.
        var superseded = 0
    }

    static let known = [
        "april6_2019": Known(moments: 1), "beidou-gb": Known(moments: 1), "bt451": Known(moments: 12, unreported: 2),
        "bu353s4": Known(moments: 25), "ch-4711": Known(moments: 7, flat: 7), "et-332": Known(moments: 19),
        "firefly-II": Known(moments: 23), "garmin15x": Known(moments: 7),
        "neo-m8n": Known(moments: 22, rounds: 1, unreported: 1),
        // Its sentences have no checksums: nothing of it is taken, and gpsd finds no
        // fix in it either.
        "skytraq-err": Known(moments: 0), "tcp-torture": Known(moments: 1, rounds: 1, superseded: 1),
        "ublox-zed-f9r": Known(moments: 29, unreported: 1),
    ]

    /// All logs that have an expectation.
    static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder ?? "")) ?? []
        return files.filter { $0.hasSuffix(".log.chk") }.map { String($0.dropLast(8)) }.sorted()
    }()

    static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: (folder ?? "") + name)))
    }

    static func fixes(_ bytes: [UInt8]) -> [Fix] {
        var framer = NMEAFramer()
        var epochs = NMEAEpochs()
        var fixes: [Fix] = []
        framer.append(bytes) { sentence in
            if let fix = epochs.append(sentence) { fixes.append(fix) }
        }
        return fixes + [epochs.flush()].compactMap(\.self)
    }

    /// The reports with a position, in order.
    static func reports(_ name: String) throws -> [Report] {
        try bytes(name + ".log.chk").split(separator: 0x0A).compactMap { line in
            let report = try? JSONDecoder().decode(Report.self, from: Data(line))
            return report?.class == "TPV" && report?.mode ?? 0 > 1 ? report : nil
        }
    }

    @Test(.enabled(if: folder != nil, missing)) func everyKnownLogIsThere() {
        #expect(Set(Self.known.keys).isSubset(of: Self.names))
    }

    @Test(.enabled(if: folder != nil, missing), arguments: names)
    func fixesAreThoseOfGpsd(_ name: String) throws {
        let reports = try Self.reports(name)
        var last: [Instant: Report] = [:]
        for report in reports { if let time = report.time { last[try Instant(rfc3339: time)] = report } }
        let shift = Duration.seconds((Self.known[name]?.rounds ?? 0) * 1024 * 7 * 86_400)
        // The bars in tcp-torture.log stand for pauses in the player of the recording; they
        // were never sent.
        let fixes = Self.fixes(try Self.bytes(name + ".log").filter { $0 != UInt8(ascii: "|") })
        var (compared, flat) = (Set<Instant>(), 0)
        for fix in fixes {
            guard let time = fix.time, let report = last[time + shift] else { continue }
            compared.insert(time)
            if fix.mode == 2, report.mode == 3 { flat += 1 } else { #expect(fix.mode == report.mode) }
            Self.compare(fix, report, name)
        }
        #expect(compared.count == last.count)
        if let known = Self.known[name] { #expect(compared.count == known.moments && flat == known.flat) }
        Self.compare(positions: fixes, reports, name)
    }

    /// No position of gpsd's is missing here, and none was invented.
    private static func compare(positions fixes: [Fix], _ reports: [Report], _ name: String) {
        let ours = Set(fixes.compactMap { fix in fix.latitude.map { Place($0, fix.longitude) } })
        let theirs = Set(reports.compactMap { report in report.lat.map { Place($0, report.lon) } })
        guard let known = known[name] else { return }
        #expect(theirs.subtracting(ours).count == known.superseded, Comment(rawValue: name))
        #expect(ours.subtracting(theirs).count == known.unreported, Comment(rawValue: name))
    }

    /// A position to 10^-9 degrees, as gpsd prints it.
    struct Place: Hashable {
        let latitude: Int64
        let longitude: Int64?

        init(_ latitude: Double, _ longitude: Double?) {
            self.latitude = Int64((latitude * 1e9).rounded())
            self.longitude = longitude.map { Int64(($0 * 1e9).rounded()) }
        }
    }

    private static func compare(_ fix: Fix, _ report: Report, _ name: String) {
        let moment = Comment(rawValue: "\(name) \(fix.json)")
        #expect(isNear(fix.latitude, report.lat, 1e-9), moment)
        #expect(isNear(fix.longitude, report.lon, 1e-9), moment)
        #expect(isNear(fix.altitudeMSL, report.altMSL, 1e-4), moment)
        #expect(isNear(fix.geoidSeparation, report.geoidSep, 1e-3), moment)
        #expect(isNear(fix.speed, report.speed, 6e-4), moment)
        #expect(isNear(fix.track, report.track, 1e-4), moment)
    }

    private static func isNear(_ ours: Double?, _ theirs: Double?, _ tolerance: Double) -> Bool {
        guard let ours, let theirs else { return ours == nil && theirs == nil }
        return abs(ours - theirs) <= tolerance
    }

    /// A Telit module after the rollover of April 2019: years -1 and 99. Neither is a date that a
    /// clock may be set by.
    @Test(.enabled(if: folder != nil, missing)) func impossibleYearsGiveNoDate() throws {
        let fixes = Self.fixes(try Self.bytes("april6_2019.log"))
        #expect(fixes.map(\.mode) == [1, 2, 2])
        #expect(fixes.map { $0.time?.description } == [nil, nil, "1999-08-22T00:02:31.42Z"])
        #expect(Self.fixes(try Self.bytes("skytraq-err.log")).isEmpty)
    }
}
