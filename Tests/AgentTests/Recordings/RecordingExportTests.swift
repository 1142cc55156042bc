// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Exports
import Glibc
import SystemKit
import Testing

@testable import Agent

/// Files of one test, removed with it.
private final class ExportBench {
    let path: String

    init() {
        var template = Array("/tmp/studyd-export-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer {
            $0.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? ""
        }
        precondition(!path.isEmpty)
    }

    deinit {
        AgentFixture.checkDescriptions(below: path)
        for name in (try? DiskFolder(creating: path).names()) ?? [] { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    func write(_ name: String, _ text: String) throws -> String {
        try File("\(path)/\(name)", .replace).write(Array(text.utf8), at: 0)
        return "\(path)/\(name)"
    }

    func export(_ file: String, as format: ExportFormat) throws -> String {
        let target = "\(path)/out"
        _ = try RecordingExport.run(
            [file], as: format, to: { () throws(FileError) in try ExportOutput(path: target) }, progress: { _ in })
        return try read(target)
    }

    func plot(_ file: String) throws -> String {
        let target = "\(path)/out.svg"
        try RecordingPlot.run(
            file, to: { () throws(FileError) in try ExportOutput(path: target) }, progress: { _ in })
        return try read(target)
    }

    private func read(_ path: String) throws -> String {
        let file = try File(path, .read)
        return String(decoding: try file.read(file.size(), at: 0), as: UTF8.self)
    }
}

/// A receiver's walk: sentences with their checksums.
private enum Walk {
    static func sentence(_ body: String) -> String {
        let digits = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
        return "$\(body)*\(digits.count < 2 ? "0" : "")\(digits)\r\n"
    }

    /// One fix a second to the north, 1.85 m each; void and silent ones between, with our
    /// sentences before each.
    static func log(_ seconds: ClosedRange<Int>, date: String = "211126", gapBefore: Int? = nil, void: Set<Int> = [])
        -> String
    {
        seconds.map { second in
            let two = (second < 10 ? "0" : "") + "\(second)"
            var text = second == gapBefore ? sentence("PSTDY,G,\(100 + second).000000,512,ringFull") : ""
            text += sentence("PSTDY,E,\(100 + second).000000,2026-11-21T09:00:\(two).080000Z")
            guard !void.contains(second) else { return text + sentence("GPRMC,0900\(two).00,V,,,,,,,\(date),,,N") }
            let minutes = "\(1000 + second)"
            text += sentence("GPRMC,0900\(two).00,A,5230.\(minutes),N,01324.5000,E,3.60,0.0,\(date),,,A")
            text += sentence("GPGGA,0900\(two).00,5230.\(minutes),N,01324.5000,E,1,08,1.2,35.5,M,44.0,M,,")
            return text + sentence("GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,2.0,1.2,1.6")
        }.joined()
    }
}

@Suite struct RecordingExportTests {
    private static let python = getenv("STUDYD_PYTHON").map { String(cString: $0) } ?? "python3"
    private static let hasGPXPy: Bool = {
        if system("'\(python)' -c 'import gpxpy' 2>/dev/null") == 0 { return true }
        print("SKIPPED: gpxpy is not installed; STUDYD_PYTHON may name a Python that has it")
        return false
    }()
    private static let fixtures: String? = {
        let parts = #filePath.split(separator: "/")
        let folders = (4...7).map { "/" + parts.dropLast($0).joined(separator: "/") + "/shared/fixtures/nmea" }
        if let found = folders.first(where: { access($0, R_OK) == 0 }) { return found }
        print("SKIPPED: ../shared/fixtures/nmea is not there")
        return nil
    }()

    @Test func aTrackHasItsTimesHeightsAndSegments() throws {
        let bench = ExportBench()
        let gpx = try bench.export(
            bench.write("walk.nmea", Walk.log(0...20, gapBefore: 10, void: [5, 6])), as: .gpx)
        #expect(gpx.split(separator: "\n").filter { $0.hasPrefix("<trkpt") }.count == 19)
        #expect(gpx.count(of: "<trkseg>") == 3 && gpx.count(of: "</trkseg>") == 3)
        #expect(gpx.hasSuffix("</trkseg>\n</trk>\n</gpx>\n"))
        #expect(gpx.contains("<trkpt lat=\"52.50166667\" lon=\"13.40833333\"><ele>35.50</ele>"))
        #expect(gpx.contains("<time>2026-11-21T09:00:00.000Z</time>") && gpx.contains("<fix>3d</fix><sat>8</sat>"))
    }

    /// Two participants' walks, with their descriptions beside them.
    @Test func filesOfTwoParticipantsAreNotJoinedUntold() throws {
        let bench = ExportBench()
        // Only what an export reads of them is in these.
        defer { for number in 1...4 { unlink("\(bench.path)/00000\(number)-position.json") } }
        func walk(_ number: Int, _ participant: String?) throws -> String {
            let name = "00000\(number)-position"
            let log = Walk.log(number * 10...number * 10 + 5)
            _ = try bench.write(name + ".json", Self.description(number, name, participant, bytes: log.utf8.count))
            return try bench.write(name + ".nmea", log)
        }
        let (first, second, own, unnamed) = (
            try walk(1, "P001"), try walk(2, "P002"), try walk(3, "P001"), try walk(4, nil)
        )
        func export(_ files: [String], joins: Bool = false) throws {
            var options = ExportOptions()
            options.joinsParticipants = joins
            for format in [ExportFormat.gpx, .csv, .sageJSON] {
                _ = try RecordingExport.run(
                    files, as: format, options,
                    to: { () throws(FileError) in try ExportOutput(path: bench.path + "/out") },
                    progress: { _ in })
            }
        }
        let error = #expect(throws: FileError.self) { try export([first, second]) }
        let words = "\(String(describing: error))"
        #expect(words.contains("P001") && words.contains("P002") && words.contains("--join-participants"), "\(words)")
        try export([first, own])
        try export([first, unnamed])
        try export([first, second], joins: true)
    }

    private static func description(_ number: Int, _ name: String, _ participant: String?, bytes: Int) -> String {
        """
        {"schemaVersion":1,"type":"file","identifier":"position","number":\(number),"kind":"position","format":"nmea","state":"open","startUptime":100,
        "endUptime":200,"relativePath":"\(name).nmea","contentType":"text/plain","study":"S"\(participant.map { ",\"participant\":\"\($0)\"" } ?? ""),
        "deviceNumber":1,"device":"receiver","location":"/dev/ttyAMA0","channels":[],"nominalRate":1,"fullScale":0,"bootID":"b","zone":"UTC",
        "clock":"pending","anchors":[],"syncInterval":10,"countedUnit":"bytes","samplesStored":\(bytes),"samplesLost":{},"gaps":[],"gapsOmitted":0,
        "isRecovered":false,"bytesCut":0,"bytes":0,"sha256":""}
        """
    }

    @Test func aDateThatIsWeeksOffIsPutRightByOurOwnSentence() throws {
        let bench = ExportBench()
        // 2026-11-21 less 1024 weeks, as a module of the last round says it.
        let gpx = try bench.export(bench.write("old.nmea", Walk.log(0...3, date: "070407")), as: .gpx)
        #expect(gpx.contains("<time>2026-11-21T09:00:03.000Z</time>") && !gpx.contains("2007"))
    }

    @Test func aLogWithoutAPositionIsAValidEmptyTrack() throws {
        let bench = ExportBench()
        let log = try bench.write("void.nmea", Walk.log(0...3, void: [0, 1, 2, 3]))
        #expect(try bench.export(log, as: .gpx).contains("<trk><name>void.nmea</name>\n</trk>\n</gpx>"))
        #expect(try bench.export(log, as: .sageJSON) == "[\n\n]\n")
        #expect(throws: FileError.self) { try bench.plot(log) }
    }

    @Test func rowsOfPositionsBeginWithADigitAndVoidOnesAreEmpty() throws {
        let bench = ExportBench()
        let csv = try bench.export(bench.write("walk.nmea", Walk.log(0...9, gapBefore: 4, void: [5])), as: .csv)
        let rows = csv.split(separator: "\n").filter { $0.first?.isNumber == true }
        #expect(rows.count == 10 && csv.contains("\n#gap\n"))
        #expect(rows[0] == "2026-11-21T09:00:00.000Z,100.000000,3,52.50166667,13.40833333,35.50,1.852,0.00,1.20,8")
        // Without a date of the receiver's the time is ours.
        #expect(rows[5] == "2026-11-21T09:00:05.080Z,105.000000,1,,,,,,,")
    }

    @Test func locationsCarryTheFieldsOfTheDistanceRecorder() throws {
        let bench = ExportBench()
        let json = try bench.export(bench.write("walk.nmea", Walk.log(0...10)), as: .sageJSON)
        let last = try #require(json.split(separator: "\n").dropLast().last)
        #expect(json.hasPrefix("[\n{") && json.hasSuffix("}\n]\n"))
        #expect(last.hasPrefix("{\"uptime\":110.000000,\"timestamp\":10.000000,\"stepPath\":\"walk.nmea\""))
        // 0.0001 minutes north each second are 0.185 m on the sphere.
        #expect(last.contains("\"relativeDistance\":0.19") && last.contains("\"totalDistance\":1.85"))
        #expect(last.contains("\"horizontalAccuracy\":9.0") && last.contains("\"bearingRadians\":0.000000"))
        #expect(last.contains("\"timestampUnix\":1795251610.000"))
    }

    @Test func theMapShowsTheWayAndThePanelsItsSpeed() throws {
        let bench = ExportBench()
        let svg = try bench.plot(bench.write("walk.nmea", Walk.log(0...40, void: Set(10...30))))
        #expect(svg.contains("20 positions of 41 epochs") && svg.contains("1 gap of 22.0 s"))
        #expect(svg.contains(">start</text>") && svg.contains("speed (m/s)") && svg.contains("52.5"))
    }

    /// What `export` takes `show` takes, too: without dates, with binary messages, of sentences
    /// without a line's end.
    @Test func whateverIsExportedIsAlsoShown() throws {
        let bench = ExportBench()
        let plain = Walk.log(10...20)
        let dateless = plain.split(separator: "\r\n").filter { $0.contains("GPGGA") }.map { $0 + "\r\n" }.joined()
        let cases = [
            ("ours", plain), ("no date", dateless),
            ("carriage returns", plain.replacing("\r\n", with: "\r")), ("comments", "# gpsd says\n" + plain),
            ("binary", "\u{1}\u{2}\u{7F}$" + plain),
        ]
        for (name, text) in cases {
            let path = try bench.write("x.log", text)
            let rows = try bench.export(path, as: .csv).split(separator: "\n").count
            let summary = try FileInspector.summary(of: path)
            #expect(rows > 3 && summary.format == "nmea" && summary.stored > 0, "\(name)")
        }
    }

    /// The receiver's time where it says one; else that of the device that recorded, and
    /// the point says so.
    @Test func aTrackSaysWhoseTimeItHas() throws {
        let bench = ExportBench()
        let silent = Walk.log(10...12).split(separator: "\r\n").filter {
            !$0.contains("RMC") && !$0.contains("GGA") || $0.contains("STDY")
        }
        let position = Walk.sentence("GPGLL,5230.1000,N,01324.5000,E,,A,A")
        let text = Walk.log(1...3) + silent.prefix(1).map { $0 + "\r\n" }.joined() + position
        let gpx = try bench.export(bench.write("x.nmea", text), as: .gpx)
        #expect(gpx.contains("<metadata><desc>Times are the receiver&#39;s UTC.") && gpx.count(of: "<trkpt ") >= 3)
        guard Self.hasGPXPy else { return }
        let script =
            "import sys, gpxpy; g = gpxpy.parse(open(sys.argv[1])); assert \"receiver\" in g.description, g.description"
        #expect(system("'\(Self.python)' -c '\(script)' '\(bench.path)/out'") == 0)
    }

    @Test(.enabled(if: fixtures != nil, "needs ../shared/fixtures"))
    func realLogsBecomeEverythingThatTheyCan() throws {
        let bench = ExportBench()
        let folder = try #require(Self.fixtures)
        let logs = try DiskFolder(creating: folder).names().filter { $0.hasSuffix(".log") && $0 != "skytraq-err.log" }
        #expect(logs.count > 10)
        for log in logs {
            let path = "\(folder)/\(log)"
            let gpx = try bench.export(path, as: .gpx)
            #expect(gpx.count(of: "<trkpt ") > 0 && gpx.hasSuffix("</gpx>\n"))
            if Self.hasGPXPy {
                let script = "import sys, gpxpy; gpxpy.parse(open(sys.argv[1]))"
                #expect(system("'\(Self.python)' -c '\(script)' '\(bench.path)/out' 2>/dev/null") == 0, "\(log)")
            }
            let summary = try FileInspector.summary(of: path)
            #expect(summary.format == "nmea" && summary.start != nil, "\(log)")
            #expect(try bench.export(path, as: .csv).contains("time,uptime,mode"))
            #expect(try bench.export(path, as: .sageJSON).hasPrefix("[\n{"))
            #expect(try bench.plot(path).hasSuffix("</svg>\n"))
        }
    }
}

extension String {
    /// How often `part` occurs.
    fileprivate func count(of part: String) -> Int {
        var (count, rest) = (0, self[...])
        while let range = rest.firstRange(of: part) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
