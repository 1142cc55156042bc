// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit
import Testing

@testable import Device

/// `recordings verify`: what is no recording, and what is not whole.
@Suite struct FileInspectorTests {
    @Test(arguments: ["/etc/passwd", "/bin/true", "/dev/null"])
    func whatIsNoRecordingIsNotWhole(path: String) {
        #expect(throws: FileError.self) { try FileInspector.problems(of: path) }
    }

    @Test func randomBytesAndAnEmptyFileAreNoRecordings() throws {
        let bench = Workbench()
        var noise = Noise(seed: 4)
        try bench.write("random", (0..<5000).map { _ in UInt8.random(in: 0...255, using: &noise) })
        try bench.write("empty.cwa", [])
        for name in ["random", "empty.cwa"] {
            #expect(throws: FileError.self) { try FileInspector.problems(of: "\(bench.path)/\(name)") }
        }
    }

    /// Bytes from where on, what is done, and what it is called. The description stays as it is,
    /// under the same name or none.
    @Test func everyDamageToABlockFileHasItsName() throws {
        let bench = Workbench()
        let whole = try bench.bytes(named(bench.motion().path))
        func blocks(_ order: [Int]) -> [UInt8] {
            Array(whole[..<1024]) + order.flatMap { whole[1024 + 512 * $0..<1536 + 512 * $0] }
        }
        let count = (whole.count - 1024) / 512
        let all = Array(0..<count)
        let cases: [(content: [UInt8], problem: String)] = [
            (whole, ""), ([UInt8](repeating: 0, count: 1024) + whole[1024...], "the header is damaged"),
            (blocks(all.filter { $0 != 3 }), "out of order: 1"), (blocks(Array(all.dropFirst())), "out of order: 1"),
            (blocks(all.map { $0 == 2 ? 3 : $0 == 3 ? 2 : $0 }), "out of order: 3"),
            (blocks(all.flatMap { $0 == 1 ? [1, 1] : [$0] }), "out of order: 1"),
            (whole.dropLast(100), "incomplete block"),
            (Array(whole[..<2000]) + [whole[2000] ^ 1] + whole[2001...], "damaged blocks: 1"),
            (Array(whole[..<600]) + [7] + whole[601...], "the header is damaged"),
            (Array(whole[..<36]) + [whole[36] ^ 3] + whole[37...], "rate or range differs"),
        ]
        for (content, problem) in cases {
            try bench.write("copy.cwa", content)
            let problems = try FileInspector.problems(of: bench.path + "/copy.cwa")
            #expect(problem.isEmpty ? problems.isEmpty : problems.joined().contains(problem), "\(problem): \(problems)")
        }
    }

    @Test func aCutOrChangedGzipIsFoundWithoutItsDescription() throws {
        let bench = Workbench()
        let whole = try bench.bytes(named(bench.magneticField().path))
        var changed = whole
        changed[whole.count - 6] ^= 1
        for (content, problem) in [
            (whole, ""), (Array(whole.dropLast(9)), "truncated"), (changed, "the gzip data is damaged"),
            (whole + [0, 0, 0], "trailing bytes"),
        ] {
            try bench.write("copy.csv.gz", content)
            let problems = try FileInspector.problems(of: bench.path + "/copy.csv.gz")
            #expect(problem.isEmpty ? problems.isEmpty : problems.joined().contains(problem), "\(problem): \(problems)")
        }
    }

    /// Its name, its time and its maker are those of no file that was written here (RFC 1952, 2.3): all but the
    /// magic number and the method.
    @Test(arguments: 3..<10) func aGzipHeaderThatIsNotTheRecordersIsNamed(place: Int) throws {
        let bench = Workbench()
        var bytes = try bench.bytes(named(bench.magneticField().path))
        bytes[place] ^= 1
        try bench.write("copy.csv.gz", bytes)
        #expect(try FileInspector.problems(of: bench.path + "/copy.csv.gz") == ["the gzip header was changed"])
    }

    /// "A gzip file consists of a series of members" (RFC 1952, 2.2): two files one after the other are
    /// the content of both.
    @Test func theContentOfAGzipFileIsThatOfAllItsMembers() throws {
        let bench = Workbench()
        let long = [UInt8](repeating: 65, count: 200_000)
        let members = try [Array("one\n".utf8), [], long, Array("two\n".utf8)].map { try GzipFile.compressed($0) }
        let whole = Array("one\n".utf8) + long + Array("two\n".utf8)
        for (tail, limit) in [([], 1 << 20), ([0, 0, 0], 1 << 20), ([], 5)] as [([UInt8], Int)] {
            try bench.write("two.gz", members.flatMap(\.self) + tail)
            let content = try GzipFile.contents(File(bench.path + "/two.gz", .read), limit: limit)
            #expect(content == Array(whole.prefix(limit)))
        }
    }

    /// A file may expand to a thousand times its size: what lies behind the limit is not inflated. Here it is damaged.
    @Test func ofAGzipFileNoMoreIsInflatedThanIsAskedFor() throws {
        let bench = Workbench()
        var noise = Noise(seed: 6)
        let content = (0..<400_000).map { _ in UInt8.random(in: 0...255, using: &noise) }
        var bytes = try GzipFile.compressed(content)
        bytes[bytes.count - 6] ^= 1
        try bench.write("damaged.gz", bytes)
        let file = try File(bench.path + "/damaged.gz", .read)
        for limit in [0, 1, 10_000] {
            #expect(try GzipFile.contents(file, limit: limit) == Array(content.prefix(limit)))
        }
        #expect(throws: FileError.self) { try GzipFile.contents(file, limit: 1 << 20) }
    }

    @Test func aDescriptionThatIsMissingOrChangedIsNamed() throws {
        let bench = Workbench()
        bench.hasDamagedDescriptions = true
        let sealed = try bench.motion()
        let name = named(sealed.descriptionPath)
        let text = try bench.text(name)
        #expect(try FileInspector.problems(of: sealed.path) == [])
        #expect(try FileInspector.problems(of: sealed.descriptionPath).isEmpty, "it stands for its file")
        let cases: [(String, String)] = [
            (text.replacing("\"p7\"", with: "\"p8\""), "changed after it was sealed"),
            (text.replacing("  \"seal\"", with: "  \"deal\""), "lost its seal"),
            (String(text.dropLast(200)), "cannot be read"),
        ]
        for (changed, problem) in cases {
            try bench.write(name, Array(changed.utf8))
            #expect(try FileInspector.problems(of: sealed.path).joined().contains(problem), "\(problem)")
        }
        unlink(sealed.descriptionPath)
        #expect(try FileInspector.problems(of: sealed.path).joined().contains("description cannot be read"))
    }

    /// Numbers that would overflow in a sum, in nanoseconds or as a whole number of seconds.
    @Test func aDescriptionWithImpossibleNumbersIsOnlySaidToBeDamaged() throws {
        let bench = Workbench()
        bench.hasDamagedDescriptions = true
        let sealed = try bench.motion()
        let gap = RecordingDescription.GapNote(
            startUptime: 101, endUptime: 102, samples: 1 << 62, reason: "ringFull", position: 5)
        for change in [
            { $0.gaps = [gap, gap] }, { $0.anchors[0].carried = 1e30 }, { $0.anchors[0].uptime = 1e12 },
        ] as [(inout RecordingDescription) -> Void] {
            var damaged = sealed.description
            change(&damaged)
            try bench.write(named(sealed.descriptionPath), Array(damaged.json.indentedText.utf8))
            #expect(try FileInspector.problems(of: sealed.path).joined().contains("impossible numbers"))
            for read in [{ _ = try FileInspector.summary(of: $0) }, { _ = try RecordedFile($0) }]
                as [(String) throws -> Void]
            {
                #expect { try read(sealed.path) } throws: { "\($0)".contains("impossible numbers") }
            }
        }
    }

    /// Each with itself, with each other, and by the name that a bucket gives the second of a name.
    @Test(arguments: [["000001-x.json"], ["000002-x.json", "000001-x.json"], ["000001-x.json~2"]])
    func aDescriptionThatNamesADescriptionIsNamed(files: [String]) throws {
        let bench = Workbench()
        bench.hasDamagedDescriptions = true
        for state in [RecordingDescription.State.sealed, .open] {
            for (place, file) in files.enumerated() {
                var description = RecordingDescription(fileName: file, contentType: "", countedUnit: .samples)
                (description.number, description.kind, description.state) = (place + 1, "x", state)
                let text = Array(description.json.indentedText.utf8)
                for name in ["00000\(place + 1)-x.json", "00000\(place + 1)-x.json~2"] { try bench.write(name, text) }
            }
            let chosen = try RecordingSelection.files([bench.path])
            #expect(chosen.count == 2 * files.count)
            for path in chosen {
                #expect { try FileInspector.problems(of: path) } throws: { "\($0)".contains("names a description") }
            }
        }
    }

    /// The first line is that of every age file (age-encryption.org/v1).
    @Test func aSealedFileAloneIsSaidToNeedAKey() throws {
        let bench = Workbench()
        try bench.write("000001-accelerometer.cwa.age", Array("age-encryption.org/v1\n-> X25519 a\n".utf8))
        #expect {
            try FileInspector.summary(of: bench.path + "/000001-accelerometer.cwa.age")
        } throws: { "\($0)".contains("is sealed by age") && "\($0)".contains("--key") }
    }

    /// Files of GGIRread; its authors say which blocks of the second they damaged.
    @Test(.enabled(if: Fixture.has("accel/ax3_testfile.cwa"), "needs the recordings in ../shared/fixtures"))
    func foreignBlockFilesAreJudgedByTheirBlocks() throws {
        #expect(try FileInspector.problems(of: #require(Fixture.path("accel/ax3_testfile.cwa"))).isEmpty)
        let corrupt = "accel/ax3_testfile_corrupt_blocks_0_13_14_142_143_144.cwa"
        #expect(try FileInspector.problems(of: #require(Fixture.path(corrupt))) == ["damaged blocks: 6"])
        #expect(try FileInspector.problems(of: #require(Fixture.path("accel/example-610-steps.cwa"))).isEmpty)
    }

    /// gpsd's logs: a whole one, and one that its authors call an error.
    @Test(.enabled(if: Fixture.has("nmea/bu353s4.log"), "needs the logs in ../shared/fixtures"))
    func foreignLogsAreJudgedByTheirChecksums() throws {
        #expect(try FileInspector.problems(of: #require(Fixture.path("nmea/neo-m8n.log"))).isEmpty)
    }

    /// What a file says that is missing, a person may have written: 2^48 - 1 samples a line, which are more
    /// than fit into 64 bits after 32 768 lines.
    @Test func whatGapLinesAddUpToIsBounded() throws {
        let bench = Workbench()
        let gap = "#gap end=1 samples=281474976710655 reason=x\n"
        let text = "#studyd recording=42 measure=m\ntime,uptime,x\n,1.0,1\n" + String(repeating: gap, count: 33_000)
        try bench.write("x.csv", Array(text.utf8))
        #expect(try FileInspector.summary(of: bench.path + "/x.csv").lost == 1 << 48)
    }

    /// 71 MB of text in some 100 kB.
    @Test func theRowsOfALongCompressedTableAreAllCountedAndItsDamageIsSaid() throws {
        let bench = Workbench()
        let row = Array("1,".utf8) + [UInt8](repeating: 0x30, count: 65_000) + [0x0A]
        let text = Array("time,uptime,x\n".utf8) + (0..<1100).flatMap { _ in row }
        let bytes = try GzipFile.compressed(text)
        try bench.write("x.csv.gz", bytes)
        let whole = try FileInspector.summary(of: bench.path + "/x.csv.gz")
        #expect(whole.stored == 1100 && whole.remarks.isEmpty)
        try bench.write("x.csv.gz", Array(bytes.dropLast(9)))
        #expect(try FileInspector.summary(of: bench.path + "/x.csv.gz").remarks == ["the gzip data is truncated"])
    }

    private func named(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? "" }

    /// A head that says other units than the description is a difference where the description says that the
    /// file is such a table.
    @Test func unitsAreComparedWhereTheDescriptionIsOfSuchATable() throws {
        let bench = Workbench()
        let sealed = try bench.magneticField()
        let file = try File(sealed.path, .read)
        let ours = sealed.description
        #expect(try RecordingFormats.standard.check(file, ours).differences == [])
        for (format, differences) in [(ours.format, ["its units differ from the description"]), ("other", [])] {
            var changed = ours
            changed.format = format
            for index in changed.channels.indices { changed.channels[index].unit = "T" }
            #expect(try RecordingFormats.standard.check(file, changed).differences == differences, "\(format)")
        }
    }
}
